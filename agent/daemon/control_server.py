"""The daemon's control port."""

from __future__ import annotations

import json
import os
import socket
import time

from common.background import Background
from common.checks import is_number, is_port, is_text
from common.documents import PROTOCOL_VERSION
from common.errors import AgentError, reason
from common.limits import (
    CONNECTION_SECONDS,
    MAX_CONNECTIONS,
    MAX_PEERS,
    MAX_REQUEST_BYTES,
    MAX_WINDOW_SECONDS,
    MAX_WINDOWS,
)
from common.texts import brief
from daemon.boots import changed_facts
from daemon.control_port import Channel, ask, local_address, request_mac, source_proof
from daemon.log import log
from daemon.set_up import mend
from host.processes import wait_until
from sampling.kernel_counters import read_udp
from sampling.network_usage import read_packets

TYPE_CHECKING = False
if TYPE_CHECKING:
    from typing import Any, NoReturn

    from daemon.failures import Failures
    from daemon.services import Service
    from sampling.windows import Sampler


# Seconds to look for another host, and to restart the tools' servers.
REACH_SECONDS = 3.0
RENEWED_SECONDS = 8.0
# Requests with nothing but a name.
ASKED_BY_NAME = {
    "mend": mend,
    "packet-counters": read_packets,
}


class ControlServer:
    """The control port, with a thread per connection; a new one evicts the oldest silent one."""

    def __init__(
        self,
        port: int,
        secret: bytes,
        digest: str,
        sampler: Sampler,
        services: list[Service],
        failures: Failures,
    ) -> None:
        import threading

        from daemon.package_timers import PackageTimers
        from daemon.rendezvous import AllRendezvous

        self._secret = secret
        self._digest = digest
        self._sampler = sampler
        self._by_name = {**ASKED_BY_NAME, "udp-counters": lambda: {"udp": read_udp(sampler.datagrams)}}
        self._services = services
        self._failures = failures
        self._rendezvous = AllRendezvous()
        self._package_timers = PackageTimers()
        # Peers that each service had reported before a window began.
        self._announced: dict[str, list[tuple[Service, int]]] = {}
        self._lock = threading.Lock()
        self._silent: dict[socket.socket, None] = {}  # in order of arrival
        self._listener = socket.socket(socket.AF_INET, socket.SOCK_STREAM)
        self._listener.setsockopt(socket.SOL_SOCKET, socket.SO_REUSEADDR, 1)
        try:
            self._listener.bind(("0.0.0.0", port))
        except OSError as error:
            raise AgentError(f"control port {port}: {reason(error)}") from None
        self._listener.listen(128)
        self._local = local_listener()

    def serve(self) -> NoReturn:
        if self._local is not None:
            Background(self._accept, self._local)
        self._accept(self._listener)

    def _accept(self, listener: socket.socket) -> NoReturn:
        while True:
            try:
                # The numeric address from accept(): a look-up of its name could hang on a stranger's
                # resolver.
                connection, peer = listener.accept()
                self._take(connection, peer[0] if peer else "")
            except (OSError, RuntimeError, MemoryError) as error:  # no descriptor, thread or memory for it
                try:
                    log(f"connection refused: {reason(error)}")
                except MemoryError:
                    pass
                time.sleep(0.05)

    def _take(self, connection: socket.socket, peer: str) -> None:
        with self._lock:
            if len(self._silent) >= MAX_CONNECTIONS:
                self._evict()
            self._silent[connection] = None
        try:
            Background(self._handle, connection, peer)
        except (RuntimeError, MemoryError):
            self._forget(connection)
            connection.close()
            raise

    def _evict(self) -> None:
        oldest = next(iter(self._silent))
        del self._silent[oldest]
        try:
            oldest.shutdown(socket.SHUT_RDWR)  # wakes its thread, which closes it
        except OSError:
            pass

    def _handle(self, connection: socket.socket, peer: str) -> None:
        try:
            with connection:
                self._talk(Channel(connection, CONNECTION_SECONDS), peer)
        except (OSError, ValueError):  # gone, silent too long, or evicted: no reply possible
            pass
        finally:
            self._forget(connection)

    def _talk(self, channel: Channel, peer: str) -> None:
        nonce = os.urandom(16).hex()
        channel.send({"version": PROTOCOL_VERSION, "nonce": nonce})
        try:
            request = channel.receive(MAX_REQUEST_BYTES)
            if request.get("op") == "whoami":
                reply = {"sourceIp": peer, **self._proof_of(peer, request.get("challenge"))}
            else:
                authentic = self._authenticate(request, nonce)
                self._forget(channel.sock)  # served now, so not to be evicted
                if authentic.get("op") == "rendezvous":
                    reply = self._rendezvous.join(authentic, lambda: has_hung_up(channel.sock))
                else:
                    reply = self._answer(authentic)
        except (ValueError, AgentError) as error:
            reply = {"error": str(error), **({"final": True} if getattr(error, "final", False) else {})}
        # A rendezvous may take longer than other connections live.
        channel.deadline = time.monotonic() + CONNECTION_SECONDS
        channel.send(reply)

    def _proof_of(self, peer: str, challenge: Any) -> dict[str, str]:
        # Digits only: an answer with a further line would prove another address.
        is_challenge = (
            isinstance(challenge, str)
            and 16 <= len(challenge) <= 64
            and set(challenge) <= set("0123456789abcdef")
        )
        return {"proof": source_proof(self._secret, challenge, peer)} if is_challenge else {}

    def _forget(self, connection: socket.socket) -> None:
        with self._lock:
            self._silent.pop(connection, None)

    def _authenticate(self, message: dict[str, Any], nonce: str) -> dict[str, Any]:
        import hmac

        text, given = message.get("request"), message.get("mac")
        if not isinstance(text, str) or not isinstance(given, str):
            raise AgentError("expected whoami, or an authenticated request")
        wanted = request_mac(self._secret, nonce, text)
        if not hmac.compare_digest(wanted.encode(), given.encode("utf-8", "replace")):
            raise AgentError("not authentic: the caller's secret is not this host's")
        request = json.loads(text)
        if not isinstance(request, dict):
            raise AgentError("expected an object as request")
        return request

    def _status(self) -> dict[str, Any]:
        return {
            "digest": self._digest,
            "services": [service.status() for service in self._services],
            "waiting": self._rendezvous.waiting(),
        }

    def _renew(self, ports: Any) -> dict[str, Any]:
        services = [one for one in self._services if not isinstance(ports, list) or one.port in ports]
        for service in services:
            service.renew()
        listen = wait_until(lambda: all(one.status()["listening"] for one in services), RENEWED_SECONDS)
        return {"listening": listen}

    def _answer(self, request: dict[str, Any]) -> dict[str, Any]:
        operation = request.get("op")
        if operation == "status":
            return self._status()
        if operation in ("renew-services", "reach"):
            return self._renew(request.get("ports")) if operation == "renew-services" else reach(request)
        if operation in ("failure-state", "fail"):
            return self._failures.answer(request)
        name: Any = request.get("id")
        if operation == "observe-start":
            return self._start_window(name, request.get("maxSeconds"))
        if operation == "observe-stop":
            return self._stop_window(name if is_text(name) else "")
        if is_text(operation) and operation in self._by_name:
            return self._by_name[operation]()
        raise AgentError(f"unknown operation {brief(operation)}")

    def _start_window(self, name: Any, seconds: Any) -> dict[str, Any]:
        if not is_text(name) or len(name) > 200 or not is_number(seconds, 0, MAX_WINDOW_SECONDS):
            raise AgentError(f"observe-start: expected id and maxSeconds, 0 to {MAX_WINDOW_SECONDS}")
        self._package_timers.quiet(seconds)
        self._sampler.start(name, seconds)
        while len(self._announced) >= MAX_WINDOWS:  # windows that were never stopped
            self._announced.pop(next(iter(self._announced)), None)
        self._announced[name] = [(service, service.announced) for service in self._services]
        return {"ok": True}

    def _stop_window(self, name: str) -> dict[str, Any]:
        """Samples of a window. Peers include those that a service reported, because they share its socket."""
        announced = self._announced.pop(name, [])
        reply = self._sampler.stop(name)
        reported = [peer for service, before in announced for peer in service.peers_since(before)]
        return {**reply, "peers": [*reply["peers"], *reported][:MAX_PEERS], **changed_facts()}


def local_listener() -> socket.socket | None:
    """Listens at the control socket's path. None where the path is too long or its file system has no sockets."""
    listener = socket.socket(socket.AF_UNIX, socket.SOCK_STREAM)
    try:
        if os.path.lexists(local_address()):
            os.unlink(local_address())
        listener.bind(local_address())
        os.chmod(local_address(), 0o600)
        listener.listen(128)
        return listener
    except OSError as error:
        log(f"no control socket: {reason(error)}")
        listener.close()
        return None


def reach(request: dict[str, Any]) -> dict[str, Any]:
    """Whether an agent answers at another address, as seen from this host."""
    address: Any = request.get("address")
    port: Any = request.get("port")
    if not is_text(address) or not is_port(port):
        raise AgentError("reach: expected address and port")
    try:
        ask(address, port, {"op": "whoami"}, REACH_SECONDS)
        return {"reached": True}
    except (OSError, ValueError):
        return {"reached": False}


def has_hung_up(sock: socket.socket) -> bool:
    """Whether a waiting caller has closed its connection. Does not block."""
    import select

    # Python waits for a socket that has a time-out before it calls recv, MSG_DONTWAIT or not.
    readable = select.poll()
    readable.register(sock, select.POLLIN)
    try:
        return bool(readable.poll(0)) and sock.recv(1, socket.MSG_PEEK) == b""
    except OSError:
        return True
