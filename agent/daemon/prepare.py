"""prepare: makes a host ready for a benchmark."""

from __future__ import annotations

import fcntl
import os

from common.documents import PROTOCOL_VERSION, print_kept, read_stdin
from common.errors import AgentError
from common.texts import encode
from daemon.boots import remember_boot
from daemon.control_port import answers
from daemon.lifecycle import current_digest, running_digest, start_daemon, stop_daemon, wait_for_daemon
from daemon.package_timers import wait_for_runs_under_way
from daemon.specs import check_prepare
from host.files import AGENT_DIR, in_dir, write_file
from host.host_facts import host_facts
from host.locks import open_lock
from host.processes import find_executable, wait_until

ANSWER_SECONDS = 5.0


def prepare() -> None:
    """usage: agent.py prepare < spec.json

    Checks that the executables exist, stores the stack's secret, starts the daemon (or restarts it where the
    agent or the specification has changed) and prints facts about the host once everything answers.
    """
    spec = check_prepare(read_stdin())
    missing = [name for name in spec["executables"] if find_executable(name) is None]
    if missing:
        raise AgentError(
            f"host {spec['host']} lacks {', '.join(missing)}: install what provides it and try again"
        )
    os.chmod(AGENT_DIR, 0o700)
    wait_for_runs_under_way()
    lock = open_lock(in_dir("prepare.lock"))
    fcntl.flock(lock, fcntl.LOCK_EX)
    try:
        # Other tools in a plan are no reason to restart the daemon.
        config = {key: value for key, value in spec.items() if key not in ("secret", "executables")}
        write_file(in_dir("secret"), spec["secret"].encode())
        write_file(in_dir("config.json"), encode(config))
        remember_boot(spec)
        digest = current_digest()
        is_current = running_digest() == digest
        # A daemon that was stopped, or ran out of memory, may be alive and never answer.
        is_hung = is_current and not wait_until(
            lambda: answers("127.0.0.1", config["port"], 2), ANSWER_SECONDS
        )
        if not is_current or is_hung:
            stop_daemon(at_once=is_hung)
            start_daemon()
        wait_for_daemon(config, digest)
    finally:
        os.close(lock)
    facts = host_facts(spec["host"], spec["role"])
    print_kept(encode({"version": PROTOCOL_VERSION, "facts": facts}))
