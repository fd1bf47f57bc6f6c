"""Programs that the daemon keeps running on a benchmark's end."""

from __future__ import annotations

import os
import re
import signal
import time
from collections import deque
from itertools import takewhile

from common.background import Background
from common.contract import CONTRACT
from common.errors import NO_MEMORY, reason
from common.limits import MAX_PEERS
from daemon.log import log
from host.files import AGENT_DIR
from host.processes import environment, find_executable, signal_group, wait_until

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Iterator
    from typing import Any

# Log lines in which a service reports a new peer.
ANNOUNCEMENT = re.compile(CONTRACT["newPeer"])


def wanted_services(config: dict[str, Any]) -> list[tuple[str, int, list[str]]]:
    """Services of this host: name, port and command line. Missing programs are left out."""
    return [
        (service["name"], service["port"], service["command"])
        for service in config["services"]
        if find_executable(service["command"][0])
    ]


class Service:
    """A program that is restarted whenever it ends, with growing pauses if it ends at once."""

    MIN_PAUSE = 0.1
    MAX_PAUSE = 5.0

    def __init__(self, name: str, port: int, argv: list[str]) -> None:
        import threading

        self.name = name
        self.port = port
        self.argv = argv
        self.problem: str | None = None
        self.process: Any = None
        # Peers that the program has reported: their number, and the newest of them.
        self.announced = 0
        self._peers: deque[tuple[int, dict[str, Any]]] = deque(maxlen=MAX_PEERS)
        self._renewed = False
        self._stopping = threading.Event()
        self._lock = threading.Lock()
        self._supervisor: Background | None = None

    def start(self) -> None:
        self._supervisor = Background(self._supervise)

    def terminate(self) -> None:
        """Asks the program to end, for good."""
        self._stopping.set()
        with self._lock:
            if self.process is not None:
                signal_group(self.process.pid, signal.SIGTERM)

    def join(self) -> None:
        """Waits for the end of program and supervisor; sockperf, for example, may ignore a request to end."""
        process = self.process
        if process is not None and not wait_until(lambda: process.poll() is not None, 0.5):
            signal_group(process.pid, signal.SIGKILL)
        if self._supervisor is not None:
            self._supervisor.join(1)

    def renew(self) -> None:
        """Ends the program at once, and the supervisor restarts it, however short it ran."""
        self._renewed = True
        self._kill()

    def _kill(self) -> None:
        with self._lock:
            if self.process is not None and self.process.poll() is None:
                signal_group(self.process.pid, signal.SIGKILL)
                self.process.wait()

    def peers_since(self, before: int) -> list[dict[str, Any]]:
        """Peers after the first `count`; only the newest are kept."""
        return [peer for number, peer in list(self._peers) if number > before]

    def _hear(self, line: bytes) -> None:
        found = ANNOUNCEMENT.match(line.decode("ascii", "replace"))
        if found:
            self.announced += 1
            protocol = found[1] or "udp"
            self._peers.append(
                (self.announced, {"protocol": protocol, "address": found[2], "port": int(found[3])})
            )

    def status(self) -> dict[str, Any]:
        process = self.process
        listening = process is not None and process.poll() is None and listens(process.pid, self.port)
        return {"name": self.name, "port": self.port, "listening": listening, "problem": self.problem}

    def _supervise(self) -> None:
        pause = self.MIN_PAUSE
        while not self._stopping.is_set():
            started = time.monotonic()
            try:
                self.problem = self._run_once()
            except MemoryError:
                self.problem = NO_MEMORY
                self._kill()
            if self._stopping.is_set():
                return
            log(f"{self.name} {self.problem}")
            is_short = time.monotonic() - started <= self.MAX_PAUSE and not self._renewed
            self._renewed = False
            pause = min(2 * pause, self.MAX_PAUSE) if is_short else self.MIN_PAUSE
            self._stopping.wait(pause)

    def _run_once(self) -> str:
        """Runs the program to its end; returns how it ended, with its last words."""
        import subprocess

        with self._lock:
            if self._stopping.is_set():
                return "stopped"
            try:
                self.process = subprocess.Popen(
                    self.argv,
                    stdin=subprocess.DEVNULL,
                    stdout=subprocess.PIPE,
                    stderr=subprocess.STDOUT,
                    cwd=os.path.dirname(AGENT_DIR),
                    env=environment("serve"),
                    start_new_session=True,
                )
            except OSError as error:
                return f"does not start: {reason(error)}"
        tail, line = b"", b""
        for data in iter(lambda: self.process.stdout.read1(65536), b""):
            tail = (tail + data)[-500:]
            *lines, line = (line + data).split(b"\n")
            for one in lines:
                self._hear(one)
            line = line[-500:]
        code = self.process.wait()
        self.process.stdout.close()
        words = " ".join(tail.decode("utf-8", "replace").split())
        return f"ended with status {code}" + (f": {words}" if words else "")


def listens(pid: int, port: int) -> bool:
    """Whether that process has the port open. A test connection would start a test in iperf3."""
    inodes = {f"socket:[{inode}]" for inode in waiting_sockets(pid, port)}
    try:
        return any(link_of(f"/proc/{pid}/fd/{fd}") in inodes for fd in os.listdir(f"/proc/{pid}/fd"))
    except OSError:
        return False


def waiting_sockets(pid: int, port: int) -> Iterator[str]:
    """Inodes of the listening sockets on a port, in a process's network."""
    tcp_listen, udp_unconnected = "0A", "07"
    of_port = f":{port:04X}"
    for table, waiting in (
        ("tcp", tcp_listen),
        ("tcp6", tcp_listen),
        ("udp", udp_unconnected),
        ("udp6", udp_unconnected),
    ):
        rows = socket_rows(f"/proc/{pid}/net/{table}")
        if waiting == tcp_listen:
            # The kernel lists listening sockets first; the connections can be tens of thousands.
            rows = takewhile(lambda fields: fields[3] == tcp_listen, rows)
        yield from (fields[9] for fields in rows if fields[3] == waiting and fields[1].endswith(of_port))


def socket_rows(path: str) -> Iterator[list[str]]:
    """Rows of a socket table, read lazily; none where the kernel lacks the protocol."""
    try:
        with open(path, encoding="ascii") as table:
            next(table, None)  # the heading
            yield from map(str.split, table)
    except (FileNotFoundError, ProcessLookupError):
        return


def link_of(path: str) -> str | None:
    try:
        return os.readlink(path)
    except FileNotFoundError:
        return None
