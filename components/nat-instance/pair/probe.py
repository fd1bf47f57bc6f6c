"""Azure: a TCP port that answers the load balancer's probe while this machine carries the traffic."""

import socket
import threading
import time
from typing import Any, Callable, Dict, Optional

import nothing


class Outside(nothing.Outside):
    def __init__(self, outside: Dict[str, Any]) -> None:
        self.port = outside["port"]
        self.server: Optional[socket.socket] = None

    def take(self, _wanted: Callable[[], bool]) -> None:
        if self.server is None:
            self.server = socket.create_server(("", self.port))
            threading.Thread(target=answer, args=(self.server,), daemon=True).start()

    def release(self) -> None:
        if self.server is not None:
            # Wakes the thread that waits in `accept`, which `close` alone does not.
            self.server.shutdown(socket.SHUT_RDWR)
            self.server.close()
            self.server = None

    def carries(self) -> Optional[bool]:
        try:
            socket.create_connection(("127.0.0.1", self.port), 1).close()
        except OSError:
            return False
        return True


def answer(server: socket.socket) -> None:
    while True:
        try:
            server.accept()[0].close()
        except OSError:
            if server.fileno() < 0:
                return
            time.sleep(0.01)
