"""ntttcp's receivers, which the agent's daemon runs on both ends of a path when a plan wants ntttcp."""

from __future__ import annotations

from common.checks import is_integer, take, take_object
from host.processes import find_executable

TYPE_CHECKING = False
if TYPE_CHECKING:
    from typing import Any

# ntttcp's own limit.
MAX_STREAMS = 512


def check(spec: dict[str, Any]) -> dict[str, Any]:
    """Checks `ntttcp` of a prepare specification; absent is right. Raises BadInput."""
    if "ntttcp" in spec:
        ports = take_object(spec, "", "ntttcp")
        streams = take(
            ports,
            "ntttcp.",
            "streams",
            lambda value: is_integer(value, 1, MAX_STREAMS),
            f"an integer, 1 to {MAX_STREAMS}",
        )
        last = 65536 - streams
        for name in ("tcp", "udp"):
            take(
                ports,
                "ntttcp.",
                name,
                lambda value: is_integer(value, 2, last),
                f"the first of {streams} ports, 2 to {last}",
            )
    return spec


def receivers(config: dict[str, Any]) -> list[tuple[str, int, list[str]]]:
    """The daemon's services: name, port that must be listened on, command line. None where ntttcp is missing."""
    ports = config.get("ntttcp")
    ends = ("client", "server")
    if ports is None or config.get("role") not in ends or find_executable("ntttcp") is None:
        return []
    return [
        # Sender and receiver agree on a test at the port before the first.
        (f"ntttcp {protocol.upper()}", ports[protocol] - 1, argv(protocol, ports[protocol], ports["streams"]))
        for protocol in ("tcp", "udp")
    ]


def argv(protocol: str, port: int, streams: int) -> list[str]:
    """A receiver that serves one test after the other, of any number of streams up to the given.

    The sender's -P is not told to the receiver: it may use fewer ports than there are, not more. Of the two ends'
    durations the longer counts, for both, so that the receiver's must be the least.
    """
    protocol_switch = ["-u"] if protocol == "udp" else []
    return [
        "ntttcp",
        "-r",
        *protocol_switch,
        "-H",
        "-e",
        "-Q",
        "-t",
        "1",
        "-P",
        str(streams),
        "-p",
        str(port),
    ]
