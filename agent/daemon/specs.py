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
MAX_SERVICES = 32
KEY = re.compile(CONTRACT["runKey"])


def check_prepare(spec: dict[str, Any]) -> dict[str, Any]:
    take(spec, "", "host", is_text, "a name")
    take(spec, "", "role", lambda value: value in ROLES, "one of " + ", ".join(ROLES))
    take(
        spec,
        "",
        "secret",
        lambda value: is_text(value) and len(value) >= 16,
        "a text of 16 characters or more",
    )
    take(
        spec,
        "",
        "executables",
        lambda value: is_text_list(value) and all(re.fullmatch(r"[\w.+-]+", name) for name in value),
        "a list of names of executables",
    )
    take(spec, "", "port", is_port, "a port, 1 to 65535")
    services = take(
        spec,
        "",
        "services",
        lambda value: is_list_of_objects(value, MAX_SERVICES),
        f"a list of at most {MAX_SERVICES} services",
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


def is_command(value: Any) -> bool:
    return is_text_list(value) and len(value) > 0


def check_run(spec: dict[str, Any]) -> dict[str, Any]:
    take(spec, "", "key", lambda value: is_text(value) and usable_key(value), "1 to 200 of A-Z a-z 0-9 . _ -")
    take(spec, "", "command", is_text, "a shell command")
    if spec.get("hosts") is not None:
        take(spec, "", "hosts", lambda value: is_text(value) and len(value) <= 200, "1 to 200 characters")
    take(spec, "", "pauseSeconds", lambda value: is_number(value, 0, 3600), "a number, 0 to 3600")
    take(
        spec,
        "",
        "timeoutSeconds",
        lambda value: is_number(value, 0.001, 7 * 86400),
        "a number above 0, a week at most",
    )
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
    take(retry, "retry.", "attempts", lambda value: is_integer(value, 1, 20), "an integer, 1 to 20")
    take(retry, "retry.", "delaySeconds", lambda value: is_number(value, 0, 3600), "a number, 0 to 3600")
    path = take_object(spec, "", "path")
    take(path, "path.", "address", is_text, "an address")
    take(path, "path.", "port", is_port, "a port, 1 to 65535")
    for name in ("expected", "forbidden"):
        take(path, "path.", name, is_text_list, "a list of addresses")
    hosts = take(
        spec,
        "",
        "observe",
        lambda value: is_list_of_objects(value, 64),
        "a list of at most 64 hosts",
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
    take(place, where, "id", lambda value: is_text(value) and len(value) <= 200, "1 to 200 characters")
    count = take(
        place, where, "count", lambda value: is_integer(value, 2, MAX_PAIRS), f"an integer, 2 to {MAX_PAIRS}"
    )
    take(place, where, "member", lambda value: is_integer(value, 1, count), f"an integer, 1 to {count}")
    take(
        place,
        where,
        "waitSeconds",
        lambda value: is_number(value, 0.001, 300),
        "a number above 0, 300 at most",
    )


def usable_key(key: str) -> bool:
    """A key names a directory. `.` and `..` match the pattern and are refused."""
    return KEY.fullmatch(key) is not None and key.strip(".") != ""
