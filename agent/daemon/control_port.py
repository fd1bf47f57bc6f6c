"""The control port's messages, for both of its ends.

TCP, or a Unix socket for this host's own runner, whose requests are then not among the packets that the host counts. A
line of JSON each: the server's greeting with a nonce, one request, one reply, close. A request that
needs authentication travels as text with its HMAC-SHA256 over the nonce and that text.
"""

from __future__ import annotations

import json
import os
import socket
import time

from common.errors import AgentError
from common.limits import CONNECTION_SECONDS, KEEP_ALIVE_SECONDS, MAX_REPLY_BYTES, MAX_REQUEST_BYTES
from common.texts import brief, encode
from host.files import in_dir, read_file

TYPE_CHECKING = False
if TYPE_CHECKING:
    from typing import Any


class Channel:
    """Lines of JSON over a socket, all of them within one deadline and bounded in size."""

    def __init__(self, sock: socket.socket, seconds: float) -> None:
        self.sock = sock
        self.deadline = time.monotonic() + seconds
        self.buffer = b""

    def _wait(self) -> None:
        left = self.deadline - time.monotonic()
        if left <= 0:
            raise socket.timeout()
        self.sock.settimeout(left)

    def receive(self, limit: int) -> dict[str, Any]:
        """The next line's object. Raises ValueError for anything else."""
        while b"\n" not in self.buffer:
            if len(self.buffer) > limit:
                raise ValueError(f"a line of more than {limit} bytes")
            self._wait()
            data = self.sock.recv(65536)
            if not data:
                raise ValueError("connection closed before the end of a line")
            self.buffer += data
        line, self.buffer = self.buffer.split(b"\n", 1)
        if len(line) > limit:
            raise ValueError(f"a line of more than {limit} bytes")
        try:
            document = json.loads(line)
        except (ValueError, RecursionError):
            raise ValueError("a line that is no JSON") from None
        if not isinstance(document, dict):
            raise ValueError("a line that is no JSON object")
        return document

    def send(self, document: dict[str, Any]) -> None:
        self._wait()
        self.sock.sendall(encode(document) + b"\n")


def keep_alive(sock: socket.socket) -> None:
    """Makes the kernel probe a silent connection: a NAT on the path forgets one in minutes."""
    sock.setsockopt(socket.SOL_SOCKET, socket.SO_KEEPALIVE, 1)
    sock.setsockopt(socket.IPPROTO_TCP, socket.TCP_KEEPIDLE, KEEP_ALIVE_SECONDS)
    sock.setsockopt(socket.IPPROTO_TCP, socket.TCP_KEEPINTVL, KEEP_ALIVE_SECONDS)


def local_address() -> str:
    """Path of this host's own control socket."""
    return in_dir("control.sock")


def request_mac(secret: bytes, nonce: str, request: str) -> str:
    import hmac

    return hmac.new(secret, f"{nonce}\n{request}".encode(), "sha256").hexdigest()


def ask(
    address: str, port: int, request: dict[str, Any], seconds: float, secret: bytes | None = None
) -> dict[str, Any]:
    """One request to a control port, or to the control socket whose path is the address; authenticated with a secret.

    Raises OSError (unreachable, time-out), ValueError (no agent's answer) or AgentError (it refused).
    """
    is_local = address.startswith("/")
    family = socket.AF_UNIX if is_local else socket.AF_INET6 if ":" in address else socket.AF_INET
    with socket.socket(family, socket.SOCK_STREAM) as sock:
        channel = Channel(sock, seconds)
        sock.settimeout(seconds)
        if seconds > CONNECTION_SECONDS and not is_local:
            keep_alive(sock)
        sock.connect(address if is_local else (address, port))
        nonce = channel.receive(MAX_REQUEST_BYTES).get("nonce")
        if not isinstance(nonce, str):
            raise ValueError("a greeting without a nonce: no egress-bench agent")
        if secret is not None:
            text = encode(request).decode()
            request = {"request": text, "mac": request_mac(secret, nonce, text)}
        channel.send(request)
        reply = channel.receive(MAX_REPLY_BYTES)
    if "error" in reply:
        raise AgentError(brief(reply["error"]), final=reply.get("final") is True)
    return reply


def answers(address: str, port: int, seconds: float) -> bool:
    """Whether an agent answers there, whatever the answer."""
    try:
        ask(address, port, {"op": "whoami"}, seconds)
        return True
    except AgentError:  # another kind than expected, but an agent
        return True
    except (OSError, ValueError):
        return False


def certificate_proof(secret: bytes, digest: str) -> str:
    """Proof that a certificate of that SHA-256 belongs to a host of the stack."""
    return request_mac(secret, "certificate", digest)


def source_proof(secret: bytes, challenge: str, source: str) -> str:
    """The server's proof of the address that it saw; a machine on the path cannot forge it."""
    return request_mac(secret, "whoami", f"{challenge}\n{source}")


def seen_source(address: str, port: int, seconds: float) -> str:
    """This host's address as the agent there sees it, proved with the stack's secret.

    Raises as ask does, and ValueError where the proof is missing or wrong.
    """
    import hmac
    import ipaddress

    challenge = os.urandom(16).hex()
    reply = ask(address, port, {"op": "whoami", "challenge": challenge}, seconds)
    source, proof = reply.get("sourceIp"), reply.get("proof")
    try:
        source = str(ipaddress.ip_address(source if isinstance(source, str) else ""))
    except ValueError:
        raise ValueError("an answer without a source address: no egress-bench agent") from None
    wanted = source_proof(read_secret(), challenge, source)
    if not isinstance(proof, str) or not hmac.compare_digest(
        wanted.encode(), proof.encode("utf-8", "replace")
    ):
        raise ValueError("an answer without this stack's proof: it came from another machine than the server")
    return source


def read_secret() -> bytes:
    """The stack's secret. A process that has read it leaves no core file, nor do its children."""
    import resource

    resource.setrlimit(resource.RLIMIT_CORE, (0, 0))
    secret = read_file(in_dir("secret"))
    if secret is None:
        raise AgentError("this host was never prepared: run `agent.py prepare` first")
    return secret
