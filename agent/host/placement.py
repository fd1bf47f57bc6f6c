"""The machine's place, from its cloud's instance metadata service: no other source knows a place that the
cloud chose.

Only a machine whose firmware names the cloud asks, so that no other sends a packet.
"""

from __future__ import annotations

import http.client
import json

from host.proc_files import read_text

TYPE_CHECKING = False
if TYPE_CHECKING:
    from typing import Any

DMI = "/sys/class/dmi/id"
# The same on every machine of Azure. Source: learn.microsoft.com/azure/virtual-machines/instance-metadata-service
AZURE_ASSET_TAG = "7783-7084-3265-9085-8269-3286-77"
SERVICE = ("169.254.169.254", 80)
TIMEOUT_SECONDS = 2.0
MAX_ANSWER_BYTES = 65536
MAX_NAME_LENGTH = 200

AZURE_PATH = "/metadata/instance/compute?api-version=2021-12-13&format=json"
AWS_SESSION_PATH = "/latest/api/token"
AWS_PATH = "/latest/meta-data/placement/"


def placement(directory: str = DMI, service: tuple[str, int] = SERVICE) -> dict[str, Any] | None:
    """`zone`, `zoneId`, `group` and `faultDomain`, each None where the service has none; None where no
    service answers.
    """
    vendor, tag = (
        (read_text(f"{directory}/{name}") or "").strip() for name in ("sys_vendor", "chassis_asset_tag")
    )
    try:
        if tag == AZURE_ASSET_TAG:
            return of_azure(ask(service, "GET", AZURE_PATH, {"Metadata": "true"}))
        if vendor == "Amazon EC2":
            return of_aws(service)
    except (OSError, ValueError, KeyError, http.client.HTTPException):
        pass
    return None


def of_azure(answer: str | None) -> dict[str, Any] | None:
    """A field of the service's JSON document about the machine."""
    if answer is None:
        return None
    document = json.loads(answer)
    if not isinstance(document, dict):
        raise ValueError("no object")
    return {
        "zone": known(document.get("zone")),
        "zoneId": None,
        "group": known(document.get("placementGroupId")),
        "faultDomain": known(document.get("platformFaultDomain")),
    }


def of_aws(service: tuple[str, int]) -> dict[str, Any] | None:
    token = ask(service, "PUT", AWS_SESSION_PATH, {"X-aws-ec2-metadata-token-ttl-seconds": "60"})
    if token is None:
        return None

    def value(name: str) -> str | None:
        return known(ask(service, "GET", AWS_PATH + name, {"X-aws-ec2-metadata-token": token}))

    return {
        "zone": value("availability-zone"),
        "zoneId": value("availability-zone-id"),
        "group": value("group-name"),
        "faultDomain": value("partition-number"),
    }


def ask(service: tuple[str, int], method: str, path: str, headers: dict[str, str]) -> str | None:
    """The answer's text; None for a missing entry."""
    connection = http.client.HTTPConnection(*service, timeout=TIMEOUT_SECONDS)
    try:
        connection.request(method, path, headers=headers)
        response = connection.getresponse()
        text = response.read(MAX_ANSWER_BYTES).decode("utf-8", "replace")
        ok = 200
        return text if response.status == ok else None
    finally:
        connection.close()


def known(value: Any) -> str | None:
    """A name for the results; None for the services' marks of missing values."""
    text = value.strip() if isinstance(value, str) else ""
    return text if text and len(text) <= MAX_NAME_LENGTH and text.isprintable() else None
