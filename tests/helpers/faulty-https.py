"""An HTTPS server that makes faults by seed, over HTTP/1.1 and HTTP/2; what it counts is the truth.

usage: faulty-https.py FAULTS, on a host whose agent has served `probe http`: it takes that server's certificate. Prints a line
once it listens, and at SIGTERM what it counted, as JSON. FAULTS is JSON; without a key nothing happens:

- seed, port, bytes (of each answer); after: requests that come first and are not counted; spared: the next ones, without faults.
- tickets: TLS sessions may be resumed.
- shares of requests, of which one gets one fault at most: `reset` (of the connection), `truncate` (to half of the body),
  `unavailable` (503), `late` (the first byte, by 0.5 s), `silent` (no answer); over HTTP/2 also `lose` (RST_STREAM) and `again`
  (RST_STREAM that asks for the request on another stream).
"""

import hashlib
import json
import os
import random
import select
import signal
import socket
import ssl
import struct
import sys
import threading
import time

sys.path.insert(0, "/root/.egress-bench")

from daemon.control_port import certificate_proof, read_secret  # noqa: E402

DIRECTORY = "/root/.egress-bench/https"
LATE_SECONDS = 0.5
KINDS = ("reset", "truncate", "unavailable", "late", "silent", "lose", "again")
PREFACE = b"PRI * HTTP/2.0\r\n\r\nSM\r\n\r\n"
DATA, HEADERS, RST_STREAM, SETTINGS, PING = 0, 1, 3, 4, 6
ACK, END_STREAM, END_HEADERS = 1, 1, 4
INTERNAL_ERROR, REFUSED_STREAM = 2, 7


class Faults:
    """Which request gets which fault, and the counts."""

    def __init__(self, asked: dict) -> None:
        self.asked, self.dice, self.lock = asked, random.Random(asked.get("seed", 1)), threading.Lock()
        self.bytes = asked["bytes"]
        self.arrived, self.connections, self.resumed, self.answered = 0, 0, 0, 0
        self.count = dict.fromkeys(KINDS, 0)
        self.answering: set = set()
        with open(f"{DIRECTORY}/certificate.pem", encoding="ascii") as file:
            certificate = hashlib.sha256(ssl.PEM_cert_to_DER_cert(file.read())).hexdigest()
        self.proof = certificate_proof(read_secret(), certificate).encode()

    def connected(self, resumed: bool) -> int:
        with self.lock:
            self.resumed += resumed
            self.connections += 1
            return self.connections

    def next(self) -> "tuple[str | None, bool]":
        """The next request's fault, and whether the request counts."""
        with self.lock:
            self.arrived += 1
            number = self.arrived - self.asked.get("after", 0)
            at = self.dice.random()
            for kind in KINDS if number > self.asked.get("spared", 0) else ():
                at -= self.asked.get(kind, 0)
                if at < 0:
                    self.count[kind] += 1
                    return kind, number > 0
            return None, number > 0

    def answer(self, connection: int) -> None:
        with self.lock:
            self.answered += 1
            self.answering.add(connection)

    def truth(self) -> dict:
        known = {"seen": self.arrived - self.asked.get("after", 0), "answered": self.answered}
        of_tls = {"connections": len(self.answering), "resumed": self.resumed}
        return {"served": {**known, **of_tls, **self.count}}


class Connection:
    def __init__(self, faults: Faults, tls: ssl.SSLSocket) -> None:
        self.faults, self.tls = faults, tls
        self.number = faults.connected(bool(tls.session_reused))
        self.is_http2 = tls.selected_alpn_protocol() == "h2"
        self.unread, self.greeted, self.is_over, self.is_reset = b"", False, False, False
        # Answers for later: their time, and the stream; null: HTTP/1.1's only one.
        self.later: list = []

    def run(self) -> None:
        while not self.is_over:
            wait = max(0.0, self.later[0][0] - time.monotonic()) if self.later else None
            if self.tls.pending() or select.select([self.tls], [], [], wait)[0]:
                part = self.tls.recv(65536)
                self.is_over = self.is_over or not part
                self.unread += part
                self.take_frames() if self.is_http2 else self.take_requests()
            while self.later and self.later[0][0] <= time.monotonic():
                _, stream, counts = self.later.pop(0)
                self.answer(stream, counts)
        if self.is_reset:
            self.tls.setsockopt(socket.SOL_SOCKET, socket.SO_LINGER, struct.pack("ii", 1, 0))
        self.tls.close()

    def take_requests(self) -> None:
        while b"\r\n\r\n" in self.unread:
            head, _, self.unread = self.unread.partition(b"\r\n\r\n")
            if head.startswith(b"GET /proof "):
                self.tls.sendall(b"HTTP/1.1 200 OK\r\nConnection: close\r\n\r\n" + self.faults.proof)
                self.is_over = True
            else:
                self.treat(None)

    def take_frames(self) -> None:
        if not self.greeted and len(self.unread) >= len(PREFACE):
            self.unread = self.unread[len(PREFACE) :]
            self.greeted = True
            self.frame(SETTINGS, 0, 0, b"")
        while self.greeted and len(self.unread) >= 9:
            length = int.from_bytes(self.unread[:3], "big")
            kind, flags, stream = struct.unpack("!BBI", self.unread[3:9])
            if len(self.unread) < 9 + length:
                return
            body, self.unread = self.unread[9 : 9 + length], self.unread[9 + length :]
            if kind in (SETTINGS, PING) and not flags & ACK:
                self.frame(kind, ACK, 0, body if kind == PING else b"")
            elif kind == HEADERS:
                self.treat(stream)

    def frame(self, kind: int, flags: int, stream: int, body: bytes) -> None:
        if not self.is_reset:
            self.tls.sendall(struct.pack("!I", len(body))[1:] + struct.pack("!BBI", kind, flags, stream) + body)

    def treat(self, stream: "int | None") -> None:
        kind, counts = self.faults.next()
        if kind == "reset":
            # What came behind it is read, and so counted, before the connection goes.
            self.is_over = self.is_reset = True
            self.later.clear()
        elif kind in ("lose", "again"):
            code = INTERNAL_ERROR if kind == "lose" else REFUSED_STREAM
            self.frame(RST_STREAM, 0, stream or 0, struct.pack("!I", code))
        elif kind == "late":
            self.later.append((time.monotonic() + LATE_SECONDS, stream, counts))
        elif kind == "truncate":
            self.send(stream, 200, self.faults.bytes // 2)
            self.is_over = self.is_over or stream is None
        elif kind == "unavailable":
            self.send(stream, 503, self.faults.bytes)
        elif kind is None:
            self.answer(stream, counts)

    def answer(self, stream: "int | None", counts: bool) -> None:
        if self.is_reset:
            return
        self.send(stream, 200, self.faults.bytes)
        if counts:
            self.faults.answer(self.number)

    def send(self, stream: "int | None", status: int, size: int) -> None:
        length, mark = str(self.faults.bytes), f"HTTP/{'1.1' if stream is None else '2.0'} {self.number}"
        if stream is None:
            head = f"HTTP/1.1 {status} Told\r\nContent-Length: {length}\r\nEgress-Bench: {mark}\r\n\r\n"
            self.tls.sendall(head.encode() + b"x" * size)
            return
        # HPACK without its tables' changes (RFC 7541, 6.2.2): `:status` is its entry 8, `content-length` 28.
        fields = ((b"\x08", str(status)), (b"\x0f\x0d", length), (b"\x00\x0cegress-bench", mark))
        block = b"".join(name + bytes([len(value)]) + value.encode() for name, value in fields)
        self.frame(HEADERS, END_HEADERS, stream, block)
        self.frame(DATA, END_STREAM, stream, b"x" * size)


def serve(faults: Faults, context: ssl.SSLContext, raw: socket.socket) -> None:
    try:
        raw.setsockopt(socket.IPPROTO_TCP, socket.TCP_NODELAY, 1)
        Connection(faults, context.wrap_socket(raw, server_side=True)).run()
    except OSError:  # the client has left
        raw.close()


def main() -> None:
    faults = Faults(json.loads(sys.argv[1]))
    context = ssl.SSLContext(ssl.PROTOCOL_TLS_SERVER)
    context.minimum_version = ssl.TLSVersion.TLSv1_3
    context.num_tickets = 2 if faults.asked.get("tickets") else 0
    context.load_cert_chain(f"{DIRECTORY}/certificate.pem", f"{DIRECTORY}/key.pem")
    context.set_alpn_protocols(["h2", "http/1.1"])
    listener = socket.create_server(("0.0.0.0", faults.asked["port"]), backlog=4096)

    def end(*_: object) -> None:
        print(json.dumps(faults.truth()), flush=True)
        os._exit(0)

    signal.signal(signal.SIGTERM, end)
    print("ready", flush=True)
    while True:
        threading.Thread(target=serve, args=(faults, context, listener.accept()[0]), daemon=True).start()


main()
