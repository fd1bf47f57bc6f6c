"""usage: agent.py probe irtt --address A --port P --duration SECONDS [--interval-ms 10] [--bytes 64]

Runs the contract's client (irtt, contract.json): a UDP datagram every --interval-ms, whether the one before has come
back or not. Prints one JSON document: how many were due, sent, seen by the server, received, and received twice, and
statistics of the round trips in microseconds. The time that the server had a datagram is not counted. No statistics
have a round trip below 0 or longer than the test, as a clock that steps makes it.
"""

from __future__ import annotations

import json
import subprocess
import tempfile

from common.contract import CONTRACT, filled, options_of
from common.documents import PROTOCOL_VERSION, print_document
from common.errors import AgentError
from common.json_reducer import value_at
from common.latency import latency_statistics
from common.options import DURATION, ENDPOINT, options
from common.texts import brief
from host.processes import SEARCH_PATH, find_executable

TYPE_CHECKING = False
if TYPE_CHECKING:
    from typing import Any

CLIENT = CONTRACT["roundTrips"]
TRIP = CLIENT["trip"]
NANOSECONDS_PER_MICROSECOND = 1000


def read_options(arguments: list[str]) -> dict[str, str]:
    return options(arguments, {**ENDPOINT, "duration": DURATION, **options_of("roundTrips")})


def measure(arguments: list[str]) -> None:
    given = read_options(arguments)
    if find_executable(CLIENT["program"]) is None:
        raise AgentError(f"{CLIENT['program']}: not found")
    print_document(figures(run(given), given))


def run(given: dict[str, str]) -> dict[str, Any]:
    """The client's document, with each round trip in nanoseconds, None where it was lost."""
    with tempfile.TemporaryFile() as output:
        ended = subprocess.run(
            filled(CLIENT["command"], given),
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
    """Keeps of each round trip only what is needed, as soon as it is read, because there are many."""
    if TRIP["mark"] in value:
        came = value.get(TRIP["lost"]) == TRIP["came"]
        return value_at(value, TRIP["nanoseconds"].split(".")) if came else None
    return value


def figures(document: dict[str, Any], given: dict[str, str]) -> dict[str, Any]:
    found = {name: value_at(document, place.split(".")) for name, place in CLIENT["figures"].items()}
    missing = [CLIENT["figures"][name] for name, value in found.items() if value is None]
    if missing:
        raise AgentError(f"a document without {missing[0]}")
    trips = found["trips"]
    times = [trip / NANOSECONDS_PER_MICROSECOND for trip in trips if trip is not None]
    plausible = [one for one in times if 0 <= one <= found["nanoseconds"] / NANOSECONDS_PER_MICROSECOND]
    return {
        "version": PROTOCOL_VERSION,
        "toolVersion": found["toolVersion"],
        "planned": int(float(given["duration"]) * 1000 / float(given["interval-ms"])),
        "sent": found["sent"],
        # The server's count comes with each reply, so it lacks everything after the last reply that arrived.
        "arrived": found["arrived"] or None,
        "judged": max((number + 1 for number, trip in enumerate(trips) if trip is not None), default=0),
        "duplicates": found["duplicates"],
        "received": len(times),
        "durationSeconds": round(found["nanoseconds"] / 1e9, 3),
        "latencyUs": latency_statistics(plausible),
    }
