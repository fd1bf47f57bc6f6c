"""usage: agent.py probe irtt --address A --port P --duration SECONDS [--interval-ms 10] [--bytes 64]

Runs irtt's client: a UDP datagram every --interval-ms, whether the one before has come back or not. Prints one JSON
document: how many were due, sent, seen by the server and received, and statistics of the round trips in microseconds.
The time that the server had a datagram is not counted.
"""

from __future__ import annotations

import json
import subprocess
import tempfile

from common.documents import PROTOCOL_VERSION, print_document
from common.errors import AgentError
from common.latency import latency_statistics
from common.options import TEXT, options
from common.texts import brief
from host.processes import SEARCH_PATH, find_executable

TYPE_CHECKING = False
if TYPE_CHECKING:
    from typing import Any

NANOSECONDS_PER_MICROSECOND = 1000


def measure(arguments: list[str]) -> None:
    given = options(
        arguments,
        {
            "address": (None, *TEXT),
            "port": (None, 1, 65535),
            "duration": (None, 1, 7 * 86400),
            "interval-ms": ("10", 1, 10_000),
            "bytes": ("64", 64, 1400),
        },
    )
    if find_executable("irtt") is None:
        raise AgentError("irtt: not found")
    print_document(figures(run(given), given))


def run(given: dict[str, str]) -> dict[str, Any]:
    """irtt's document, each of its round trips as (whether it came back, nanoseconds)."""
    command = [
        *("irtt", "client", "-4", "-Q", "-o", "-", "--clock=monotonic"),
        *("-i", f"{given['interval-ms']}ms", "-d", f"{given['duration']}s", "-l", given["bytes"]),
        *("--timeouts=1s,2s,4s", "--wait=3x1s", f"{given['address']}:{given['port']}"),
    ]
    with tempfile.TemporaryFile() as output:
        ended = subprocess.run(
            command,
            stdin=subprocess.DEVNULL,
            stdout=output,
            stderr=subprocess.PIPE,
            env={"PATH": SEARCH_PATH},
            check=False,
        )
        output.seek(0)
        try:
            return json.load(output, object_hook=smaller)
        except (ValueError, RecursionError):
            output.seek(0)
            words = f"{output.read(500).decode('utf-8', 'replace')} {ended.stderr.decode('utf-8', 'replace')}"
            said = " ".join(words.split()) or "no output"
            raise AgentError(f"status {ended.returncode}: {brief(said)}") from None


def smaller(value: dict[str, Any]) -> Any:
    """A test's round trips are many: of each only what is needed is kept, as soon as it is read."""
    if "seqno" in value:
        delay = value.get("delay")
        return delay.get("rtt") if value.get("lost") == "false" and isinstance(delay, dict) else None
    return value


def figures(document: dict[str, Any], given: dict[str, str]) -> dict[str, Any]:
    try:
        stats, trips = document["stats"], document["round_trips"]
        times = [trip / NANOSECONDS_PER_MICROSECOND for trip in trips if trip is not None]
        return {
            "version": PROTOCOL_VERSION,
            "toolVersion": document["version"]["irtt"],
            "planned": int(float(given["duration"]) * 1000 / float(given["interval-ms"])),
            "sent": stats["packets_sent"],
            # The server's count comes with each reply: it knows nothing of what was sent after the last that came.
            "arrived": stats["server_packets_received"] or None,
            "judged": max((number + 1 for number, trip in enumerate(trips) if trip is not None), default=0),
            "received": len(times),
            "durationSeconds": round(stats["duration"] / 1e9, 3),
            "latencyUs": latency_statistics(times),
        }
    except (KeyError, TypeError) as error:
        raise AgentError(f"a document without {error}") from None
