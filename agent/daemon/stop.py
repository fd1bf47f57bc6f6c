"""stop: ends everything that the agent started."""

from __future__ import annotations

from common.documents import PROTOCOL_VERSION, print_document
from daemon.lifecycle import stop_daemon
from host.runs_under_way import end_all_runs


def stop() -> None:
    """usage: agent.py stop

    Ends the daemon, measurements under way and everything they started. Reads no stdin.
    """
    stopped = end_all_runs()
    stopped = stop_daemon() or stopped
    print_document({"version": PROTOCOL_VERSION, "stopped": stopped})
