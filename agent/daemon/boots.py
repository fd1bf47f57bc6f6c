"""What `prepare` reported of a host holds until it boots: it may come up with another kernel, or of another size."""

from __future__ import annotations

from common.texts import encode
from host.files import in_dir, read_json, write_file
from host.host_facts import boot_id, host_facts

TYPE_CHECKING = False
if TYPE_CHECKING:
    from typing import Any

FILE = "prepared.json"


def remember_boot(spec: dict[str, Any]) -> None:
    """Of a specification of `prepare`: what facts are taken by, and of which boot they are."""
    asked = {key: spec[key] for key in ("host", "role", "versions")}
    write_file(in_dir(FILE), encode({**asked, "boot": boot_id()}))


def facts_since_boot() -> dict[str, Any] | None:
    """Facts of this host where it has been booted since it was prepared; None where those of then hold."""
    prepared = read_json(in_dir(FILE))
    if prepared is None or prepared.get("boot") in (None, boot_id()):
        return None
    return host_facts(prepared["host"], prepared["role"], prepared["versions"])
