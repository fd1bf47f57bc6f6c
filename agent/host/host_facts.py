"""Facts about the host, which `prepare` reports."""

from __future__ import annotations

import os
import re
import sys

from common.contract import CONTRACT
from common.texts import brief
from host.files import in_dir
from host.interfaces import interfaces
from host.placement import placement
from host.processes import output_of

TYPE_CHECKING = False
if TYPE_CHECKING:
    from typing import Any

# Notes of the set-up scripts about a host, one per line.
NOTES_FILE = "/run/egress-bench-notes"

# File in which a NAT instance's set-up names the running data plane, and its possible values.
DATA_PLANE_FILE = "/run/egress-bench-data-plane"
DATA_PLANES: list[str] = CONTRACT["dataPlanes"]

SYSCTLS: list[str] = CONTRACT["sysctls"]

# Programs of the agent itself; `prepare` names the benchmark's tools.
VERSION_COMMANDS = {"ip": ["ip", "-V"], "nft": ["nft", "--version"]}


def host_facts(host: str, role: str) -> dict[str, Any]:
    """A host's facts for the results; null where unknown."""
    system = os.uname()
    tuning = tuning_profile()
    sysctls = {
        name: value for name, value in ((name, read_sysctl(name)) for name in SYSCTLS) if value is not None
    }
    return {
        "host": host,
        "role": role,
        "kernel": system.release,
        "os": os_name(),
        "architecture": system.machine,
        "cpus": len(os.sched_getaffinity(0)),
        "memoryBytes": memory_bytes(),
        "congestionControl": sysctls.get("net.ipv4.tcp_congestion_control"),
        "interfaces": interfaces(),
        "sysctls": sysctls,
        "tools": tool_versions({**CONTRACT["versions"], **VERSION_COMMANDS}),
        "tuning": tuning or "none",
        "dataPlane": data_plane(DATA_PLANE_FILE),
        "placement": placement(),
        "notes": [
            *read_notes(NOTES_FILE),
            *read_notes(in_dir("notes")),
            *(read_notes(in_dir("tuning", "notes")) if tuning else []),
        ],
    }


def boot_id() -> str | None:
    return read_line("/proc/sys/kernel/random/boot_id")


def read_line(path: str) -> str | None:
    try:
        with open(path, encoding="utf-8", errors="replace") as file:
            return file.read(4096).strip()
    except OSError:
        return None


def read_sysctl(name: str) -> str | None:
    value = read_line("/proc/sys/" + name.replace(".", "/"))
    return " ".join(value.split()) if value is not None else None


def os_name() -> str | None:
    match = re.search(r'^PRETTY_NAME="?([^"\n]*)', read_line("/etc/os-release") or "", re.MULTILINE)
    return match.group(1) if match else None


def memory_bytes() -> int | None:
    match = re.search(r"^MemTotal:\s*(\d+) kB", read_line("/proc/meminfo") or "", re.MULTILINE)
    return int(match.group(1)) * 1024 if match else None


def read_notes(path: str) -> list[str]:
    """A set-up script's notes, e.g. "no nftables flowtable in this kernel". At most 50."""
    lines = (line.strip() for line in (read_line(path) or "").splitlines())
    return [brief(line) for line in lines if line][:50]


def data_plane(path: str) -> str | None:
    """The data plane in force on a NAT instance; None on every other host."""
    name = read_line(path)
    return name if name in DATA_PLANES else None


def tuning_profile() -> str | None:
    """The profile that the stack's tuning command applied; None after a reboot, which undoes it."""
    return (
        read_line(in_dir("tuning", "profile")) if boot_id() == read_line(in_dir("tuning", "boot")) else None
    )


def tool_versions(commands: dict[str, list[str]]) -> dict[str, str]:
    versions = {"python3": ".".join(map(str, sys.version_info[:3]))}
    for name, argv in commands.items():
        match = re.search(r"\d+\.\d+(?:\.\d+)*", output_of(argv) or "")
        if match:
            versions[name] = match.group(0)
    return versions
