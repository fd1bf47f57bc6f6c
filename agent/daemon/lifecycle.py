"""Checks, starts and ends the daemon, for other agent processes of its host."""

from __future__ import annotations

import os
import signal
import sys

from common import contract
from common.errors import AgentError, reason
from common.limits import KILL_AFTER_SECONDS
from common.texts import encode
from daemon.control_port import ask, read_secret
from daemon.services import wanted_services
from host.files import AGENT_DIR, AGENT_FILE, in_dir, last_words, read_file, read_json
from host.locks import is_locked
from host.processes import environment, kill_marked, wait_until

TYPE_CHECKING = False
if TYPE_CHECKING:
    from typing import Any

# A machine that is out of CPU credits may start half a dozen programs slowly.
DAEMON_SECONDS = 20.0


def current_digest() -> str:
    """Digest of agent, specification, secret and services: a daemon with another digest is out of date."""
    import hashlib

    digest = hashlib.sha256()
    for path in (*source_files(), in_dir("config.json"), in_dir("secret")):
        content = read_file(path) or b""
        digest.update(f"{len(content)}:".encode() + content)
    # A tool may have been installed since then.
    digest.update(encode(wanted_services(read_json(in_dir("config.json")) or {})))
    return digest.hexdigest()


def source_files() -> list[str]:
    """The agent's own files: its programs and directories, and its contract."""
    directories = [entry.path for entry in os.scandir(AGENT_DIR) if entry.is_dir()]
    return sorted(
        os.path.join(directory, name)
        for directory in (AGENT_DIR, *directories)
        for name in os.listdir(directory)
        if name.endswith(".py") or name == os.path.basename(contract.FILE)
    )


def running_digest() -> str | None:
    if not is_locked(in_dir("daemon.lock")):
        return None
    return (read_json(in_dir("daemon.json")) or {}).get("digest")


def start_daemon() -> None:
    """Starts `keep`, which starts `serve`, in a session of its own, so that it outlives this process."""
    import subprocess

    log = os.open(in_dir("daemon.log"), os.O_WRONLY | os.O_CREAT | os.O_APPEND, 0o600)
    try:
        subprocess.Popen(
            [sys.executable, AGENT_FILE, "keep"],
            stdin=subprocess.DEVNULL,
            stdout=log,
            stderr=log,
            cwd="/",
            env=environment("serve"),
            start_new_session=True,
        )
    finally:
        os.close(log)


def wait_for_daemon(config: dict[str, Any], digest: str | None = None) -> None:
    """Probes until the daemon and all its services answer. Raises AgentError naming the one that does not."""
    secret = read_secret()
    problem = "it did not start"

    def answers() -> bool:
        nonlocal problem
        try:
            status = ask("127.0.0.1", config["port"], {"op": "status"}, 2, secret)
        except (OSError, ValueError, AgentError) as error:
            problem = f"port {config['port']}: {reason(error)}"
            return False
        if digest is not None and status.get("digest") != digest:
            problem = f"port {config['port']} is answered by another agent"
            return False
        failing = [service for service in status.get("services", []) if not service["listening"]]
        problem = "; ".join(
            f"{service['name']} does not listen on port {service['port']}: {service['problem'] or 'no trace'}"
            for service in failing
        )
        return not failing

    if not wait_until(answers, DAEMON_SECONDS):
        log = last_words(in_dir("daemon.log"))
        raise AgentError(
            f"host {config['host']}: the agent's daemon is not ready after {DAEMON_SECONDS:g} s: {problem}"
            + (f" (log: {log})" if log else "")
        )


def stop_daemon(at_once: bool = False) -> bool:
    """Ends the daemon and everything it started, also the rest of a killed one. False if there was nothing."""
    lock = in_dir("daemon.lock")
    found = is_locked(lock)
    if found:
        signal_daemon(signal.SIGTERM)
        if at_once or not wait_until(lambda: not is_locked(lock), 2 * KILL_AFTER_SECONDS):
            signal_daemon(signal.SIGKILL)
            wait_until(lambda: not is_locked(lock), 1)
    return kill_marked("serve") > 0 or found


def signal_daemon(number: int) -> None:
    """The daemon holds its lock, so the process id in its file is its own."""
    pid = (read_json(in_dir("daemon.json")) or {}).get("pid")
    if isinstance(pid, int):
        try:
            os.kill(pid, number)
        except ProcessLookupError:
            pass


def revive_daemon() -> None:
    """Starts this host's daemon again if it was killed; otherwise only the next `prepare` would."""
    config = read_json(in_dir("config.json"))
    if config is not None and not is_locked(in_dir("daemon.lock")):
        kill_marked("serve")
        start_daemon()
        try:
            wait_for_daemon(config)
        except AgentError as error:  # without it only the client's CPU is missing
            os.write(2, f"{error}\n".encode("utf-8", "replace"))
