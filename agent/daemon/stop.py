"""stop: ends what the agent started."""

from __future__ import annotations

import os
import signal

from common.documents import PROTOCOL_VERSION, print_document
from daemon.lifecycle import stop_daemon
from host.files import in_dir, read_file
from host.locks import is_locked
from host.processes import kill_marked


def stop() -> None:
    """usage: agent.py stop

    Ends the daemon, measurements under way and everything they started. Reads no stdin.
    """
    stopped = False
    runs = in_dir("runs")
    for key in sorted(os.listdir(runs)) if os.path.isdir(runs) else []:
        pid = read_file(os.path.join(runs, key, "runner.pid"))
        if pid is not None and is_locked(os.path.join(runs, key, "lock")):
            os.kill(int(pid), signal.SIGKILL)
            kill_marked(f"run:{key}")
            stopped = True
    stopped = stop_daemon() or stopped
    print_document({"version": PROTOCOL_VERSION, "stopped": stopped})
