"""Checks of the specifications for `prepare` and `run`."""

from __future__ import annotations

import json
import re

from common.checks import are_ports, is_integer, is_number, is_port, is_text, is_text_list, take, take_object
from common.contract import CONTRACT
from common.errors import BadInput
from common.limits import MAX_PAIRS
from daemon.failures import KINDS

TYPE_CHECKING = False
if TYPE_CHECKING:
    from typing import Any

ROLES: list[str] = CONTRACT["roles"]
REDUCERS = (*CONTRACT["reducers"], "none")
BOUNDS: dict[str, int] = CONTRACT["bounds"]["spec"]
KEY = re.compile(CONTRACT["runKey"])


def check_prepare(spec: dict[str, Any]) -> dict[str, Any]:
    take(spec, "", "host", is_text, "a name")
    take(spec, "", "role", lambda value: value in ROLES, "one of " + ", ".join(ROLES))
    take(
        spec,
        "",
        "secret",
        lambda value: is_text(value) and len(value) >= BOUNDS["secretCharacters"],
        f"a text of {BOUNDS['secretCharacters']} characters or more",
    )
    take(
        spec,
        "",
        "executables",
        lambda value: (
            is_text_list(value) and all(re.fullmatch(CONTRACT["executable"], name) for name in value)
        ),
        "a list of names of executables",
    )
    take(spec, "", "port", is_port, "a port, 1 to 65535")
    services = take(
        spec,
        "",
        "services",
        lambda value: is_list_of_objects(value, BOUNDS["services"]),
        f"a list of at most {BOUNDS['services']} services",
    )
    for index, service in enumerate(services):
        where = f"services[{index}]."
        take(service, where, "name", is_text, "a name")
        take(service, where, "port", is_port, "a port, 1 to 65535")
        take(service, where, "command", is_command, "a program and its arguments")
    if spec.get("dataPorts") is not None:
        take(
            spec,
            "",
            "dataPorts",
            are_ports,
            "by tcp and udp, pairs of the first and the last port of a range",
        )
    if "failures" in spec:
        take(
            spec,
            "",
            "failures",
            lambda value: is_text_list(value) and all(kind in KINDS for kind in value),
            "a list of " + ", ".join(KINDS),
        )
    return spec


def is_list_of_objects(value: Any, most: int) -> bool:
    return isinstance(value, list) and len(value) <= most and all(isinstance(entry, dict) for entry in value)


def is_port_list(value: Any) -> bool:
    return isinstance(value, list) and all(map(is_port, value))


def is_command(value: Any) -> bool:
    return is_text_list(value) and len(value) > 0


def check_run(spec: dict[str, Any]) -> dict[str, Any]:
    take(spec, "", "key", lambda value: is_text(value) and usable_key(value), "1 to 200 of A-Z a-z 0-9 . _ -")
    take(spec, "", "command", is_text, "a shell command")
    if spec.get("hosts") is not None:
        take_id(spec, "", "hosts")
    take_number(spec, "", "pauseSeconds", 0)
    if spec.get("renew") is not None:
        take(spec, "", "renew", is_port_list, "a list of ports, 1 to 65535")
    take_number(spec, "", "timeoutSeconds", 0.001)
    take(spec, "", "reducer", lambda value: value in REDUCERS, "one of " + ", ".join(REDUCERS))
    retry = take_object(spec, "", "retry")
    patterns = take(retry, "retry.", "patterns", is_text_list, "a list of regular expressions")
    for pattern in patterns:
        try:
            re.compile(pattern)
        except (re.error, RecursionError) as error:
            raise BadInput(
                f"retry.patterns: expected regular expressions, got {json.dumps(pattern)}: {error}"
            ) from None
    most = BOUNDS["attempts"]
    take(retry, "retry.", "attempts", lambda value: is_integer(value, 1, most), f"an integer, 1 to {most}")
    take_number(retry, "retry.", "delaySeconds", 0)
    path = take_object(spec, "", "path")
    take(path, "path.", "address", is_text, "an address")
    take(path, "path.", "port", is_port, "a port, 1 to 65535")
    for name in ("expected", "forbidden"):
        take(path, "path.", name, is_text_list, "a list of addresses")
    hosts = take(
        spec,
        "",
        "observe",
        lambda value: is_list_of_objects(value, BOUNDS["observed"]),
        f"a list of at most {BOUNDS['observed']} hosts",
    )
    for index, host in enumerate(hosts):
        where = f"observe[{index}]."
        take(host, where, "host", is_text, "a name")
        take(host, where, "role", lambda value: value in ROLES, "one of " + ", ".join(ROLES))
        take(host, where, "address", is_text, "an address")
        take(host, where, "port", is_port, "a port, 1 to 65535")
    if spec.get("rendezvous") is not None:
        check_rendezvous(take_object(spec, "", "rendezvous"))
        # One try only: the other pairs would not start a second time.
        take(retry, "retry.", "attempts", lambda value: value == 1, "1 with a rendezvous")
    return spec


def check_rendezvous(place: dict[str, Any]) -> None:
    where = "rendezvous."
    take(place, where, "address", is_text, "an address")
    take(place, where, "port", is_port, "a port, 1 to 65535")
    take_id(place, where, "id")
    count = take(
        place, where, "count", lambda value: is_integer(value, 2, MAX_PAIRS), f"an integer, 2 to {MAX_PAIRS}"
    )
    take(place, where, "member", lambda value: is_integer(value, 1, count), f"an integer, 1 to {count}")
    take_number(place, where, "waitSeconds", 0.001)


def take_id(document: dict[str, Any], where: str, name: str) -> None:
    most = BOUNDS["idCharacters"]
    take(
        document, where, name, lambda value: is_text(value) and len(value) <= most, f"1 to {most} characters"
    )


def take_number(document: dict[str, Any], where: str, name: str, least: float) -> None:
    """A number up to the contract's bound of that name."""
    most = BOUNDS[name]
    expected = f"a number above 0, {most} at most" if least > 0 else f"a number, 0 to {most}"
    take(document, where, name, lambda value: is_number(value, least, most), expected)


def usable_key(key: str) -> bool:
    """A key names a directory. `.` and `..` match the pattern and are refused."""
    return KEY.fullmatch(key) is not None and key.strip(".") != ""
