"""sink: the server that `connect` connects to, started by the daemon of a server."""

from __future__ import annotations

import socket
import time

from common.errors import AgentError, reason
from common.options import PORT, options

# Shorter than any test, so that each is reported to the daemon.
SAME_CALLER_SECONDS = 0.25
MAX_CALLERS = 1000


def sink(arguments: list[str]) -> None:
    """usage: agent.py sink --port PORT

    Accepts connections and closes them at once: the far end of `connect`. Tells of a caller's address on stdout, four
    times a second at most.
    """
    port = int(options(arguments, {"port": PORT})["port"])
    listener = socket.socket(socket.AF_INET, socket.SOCK_STREAM)
    listener.setsockopt(socket.SOL_SOCKET, socket.SO_REUSEADDR, 1)
    try:
        listener.bind(("0.0.0.0", port))
    except OSError as error:
        raise AgentError(f"port {port}: {reason(error)}") from None
    listener.listen(4096)
    callers: dict[str, float] = {}
    while True:
        try:
            # Closes in order: a reset could reach the prober before it has seen its connection come up.
            connection, (address, number, *_) = listener.accept()
            connection.close()
        except OSError:  # gone already, or out of descriptors
            time.sleep(0.001)
            continue
        if time.monotonic() - callers.get(address, float("-inf")) >= SAME_CALLER_SECONDS:
            if len(callers) >= MAX_CALLERS:
                callers.clear()
            callers[address] = time.monotonic()
            print(f"[tcp {address}:{number}] [NewConn]", flush=True)
