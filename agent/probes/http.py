"""usage: agent.py probe http --address A --port P --duration SECONDS --rate PER_SECOND --version 1.1|2
           --connections new|kept [--bytes 1000] [--omit 1]

Runs the contract's client (vegeta, contract.json): an HTTPS request each time one is due, whether those before were
answered or not, so that a stall shows in all requests that met it. With `new` each has a connection of its own, whose
TCP and TLS handshakes count. The server's certificate is accepted when it is proved with the stack's secret, and the
client then accepts no other. Prints one JSON document: requests, connections and statistics of latencies in
microseconds. Requests of the first --omit seconds are left out.
"""

from __future__ import annotations

import base64
import csv
import hashlib
import hmac
import os
import re
import socket
import ssl
import subprocess
import tempfile

from common.contract import CONTRACT, filled, options_of
from common.documents import PROTOCOL_VERSION, print_document
from common.errors import AgentError, BadInput, reason
from common.latency import latency_statistics
from common.options import DURATION, ENDPOINT, TEXT, options
from common.texts import brief
from daemon.control_port import certificate_proof, read_secret
from daemon.https import NAME
from host.files import read_file
from host.processes import SEARCH_PATH, find_executable
from probes.nat_wire import raise_file_limit

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Iterable
    from typing import Any

CLIENT = CONTRACT["requests"]
MOST_ANSWER_BYTES = 4096
# Requests that wait at the same time need a connection each in HTTP/1.1.
MOST_FILES = 65_536
PROTOCOLS = {"1.1": "HTTP/1.1", "2": "HTTP/2.0"}
NANOSECONDS_PER_SECOND = 1_000_000_000
NANOSECONDS_PER_MICROSECOND = 1000


def read_options(arguments: list[str]) -> dict[str, str]:
    words = {"version": (None, *TEXT), "connections": (None, *TEXT)}
    given = options(arguments, {**ENDPOINT, "duration": DURATION, **words, **options_of("http")})
    for name, known in (("version", list(PROTOCOLS)), ("connections", CONTRACT["httpConnections"])):
        if given[name] not in known:
            raise BadInput(f"--{name}: expected {' or '.join(known)}, got {given[name]}")
    return given


def measure(arguments: list[str]) -> None:
    given = read_options(arguments)
    program = find_executable(CLIENT["program"])
    if program is None:
        raise AgentError(f"{CLIENT['program']}: not found")
    certificate = proved_certificate(given["address"], int(given["port"]))
    raise_file_limit(MOST_FILES)
    tally = Tally(given)
    run(given, certificate, tally)
    print_document({"version": PROTOCOL_VERSION, "toolVersion": version_of(program), **tally.document()})


def proved_certificate(address: str, port: int) -> str:
    """The server's certificate as PEM, if the server proves with the stack's secret that it is its own."""
    context = ssl.SSLContext(ssl.PROTOCOL_TLS_CLIENT)
    context.check_hostname = False
    context.verify_mode = ssl.CERT_NONE
    try:
        raw = socket.create_connection((address, port), 5)
        with context.wrap_socket(raw, server_hostname=NAME) as tls:
            certificate = tls.getpeercert(binary_form=True) or b""
            tls.sendall(f"GET /proof HTTP/1.1\r\nHost: {NAME}\r\nConnection: close\r\n\r\n".encode())
            answer, part = b"", b"."
            while part and len(answer) < MOST_ANSWER_BYTES:
                part = tls.recv(MOST_ANSWER_BYTES)
                answer += part
    except (OSError, ValueError) as error:
        raise AgentError(f"no HTTPS server at port {port}: {reason(error)}") from None
    wanted = certificate_proof(read_secret(), hashlib.sha256(certificate).hexdigest())
    if not hmac.compare_digest(answer[-len(wanted) :], wanted.encode()):
        raise AgentError("the certificate at the server's address is not the server's own")
    return ssl.DER_cert_to_PEM_cert(certificate)


def run(given: dict[str, str], certificate: str, tally: Tally) -> None:
    """Runs the client and reads its results as they come.

    A whole test's would need much memory or a large file.
    """
    seconds = float(given["duration"]) + float(given["omit"])
    environment = {"PATH": SEARCH_PATH, "LC_ALL": "C"}
    with tempfile.TemporaryDirectory() as directory, tempfile.TemporaryFile() as words:
        with open(f"{directory}/server.pem", "w", encoding="ascii") as file:
            file.write(certificate)
        place = f"{NAME}:{given['port']}"
        values = {
            **given,
            "seconds": f"{seconds:g}",
            "http2": str(given["version"] == "2").lower(),
            "keepalive": str(given["connections"] == "kept").lower(),
            "place": place,
            "certificate": f"{directory}/server.pem",
        }
        target = f"GET https://{place}/{given['bytes']}\n".encode()
        attacking = subprocess.Popen(
            filled(CLIENT["attack"], values),
            stdin=subprocess.PIPE,
            stdout=subprocess.PIPE,
            stderr=words,
            env=environment,
        )
        encoding = subprocess.Popen(
            CLIENT["encode"],
            stdin=attacking.stdout,
            stdout=subprocess.PIPE,
            stderr=words,
            env=environment,
            text=True,
        )
        if attacking.stdin is None or attacking.stdout is None or encoding.stdout is None:
            raise OSError("the client has no pipes")
        ended = False
        try:
            attacking.stdout.close()
            attacking.stdin.write(target)
            attacking.stdin.close()
            tally.read(csv.reader(encoding.stdout))
            ended = True
        finally:
            for process in (attacking, encoding):
                # Both have ended, unless a row was malformed.
                if not ended:
                    process.kill()
                process.wait()
        if attacking.returncode != 0 or encoding.returncode != 0 or tally.seen == 0:
            words.seek(0)
            said = " ".join(words.read(2000).decode("utf-8", "replace").split())
            ended_so = (
                f"{CLIENT['program']} ended with status {attacking.returncode} after {tally.seen} requests"
            )
            raise AgentError(f"{ended_so}: {brief(said or 'no message')}")


class Tally:
    """Figures of the client's results, one row each."""

    def __init__(self, given: dict[str, str]) -> None:
        self._rate = float(given["rate"])
        self._version = PROTOCOLS[given["version"]]
        self._bytes = int(given["bytes"])
        # The results have no body; headers come in alphabetical order.
        self._expected = re.compile(
            rf"(?s)Content-Length: {self._bytes}\r\n.*Egress-Bench: {self._version} (\d+)\r\n".encode()
        )
        self._omitted = round(float(given["omit"]) * self._rate)
        self._planned = round(float(given["duration"]) * self._rate)
        self.seen = 0
        self._latencies: list[float] = []
        self._problems: dict[str, int] = {}
        self._connections: set[bytes] = set()
        # Start of each request less the time it was due: the least is the test's start, the most the tool's
        # lateness.
        self._offsets: list[int] = []
        # Time of each answer, including the warm-up's.
        self._answers: list[int] = []

    def read(self, rows: Iterable[list[str]]) -> None:
        columns = CLIENT["columns"]
        for row in rows:
            try:
                begun, status, latency, number = (
                    int(row[columns[name]]) for name in ("begun", "status", "latency", "number")
                )
                error, headers = row[columns["error"]], row[columns["headers"]]
            except (IndexError, ValueError):
                words = brief(",".join(row))
                raise AgentError(
                    f"{CLIENT['program']} wrote a row that is none of its own: {words}"
                ) from None
            self.seen += 1
            if status == 200 and not error:
                self._answers.append(begun + latency)
            self._offsets.append(begun - round(number * NANOSECONDS_PER_SECOND / self._rate))
            if number >= self._omitted:
                self._count(status, latency, error, headers)

    def _count(self, status: int, latency: int, error: str, headers: str) -> None:
        if error or status != 200:
            name = problem_of(error) if status == 0 else f"status {status}"
            self._problems[name] = self._problems.get(name, 0) + 1
            return
        found = self._expected.search(base64.b64decode(headers))
        if found is None:
            raise AgentError(
                f"an answer was not {self._bytes} bytes over {self._version} from our own server"
            )
        self._connections.add(found[1])
        self._latencies.append(latency / NANOSECONDS_PER_MICROSECOND)

    def _answered_in_time(self) -> int:
        """Requests answered during the test: later answers do not show a sustained rate."""
        nanoseconds = NANOSECONDS_PER_SECOND / self._rate
        begin = min(self._offsets) + self._omitted * nanoseconds
        return sum(begin <= at < begin + self._planned * nanoseconds for at in self._answers)

    def document(self) -> dict[str, Any]:
        failed = sum(self._problems.values())
        return {
            "planned": self._planned,
            "attempted": len(self._latencies) + failed,
            "failed": failed,
            "answeredInTime": self._answered_in_time(),
            "problems": self._problems,
            "connections": len(self._connections),
            "lateMs": round((max(self._offsets) - min(self._offsets)) / 1e6, 1),
            "latencyUs": latency_statistics(self._latencies),
        }


def problem_of(error: str) -> str:
    return next((name for name, words in CLIENT["problems"] if re.search(words, error)), "other")


def version_of(program: str) -> str | None:
    """The version that a pattern finds in the program's own file."""
    found = re.search(CLIENT["version"].encode(), read_file(os.path.realpath(program)) or b"")
    return found[1].decode() if found else None
