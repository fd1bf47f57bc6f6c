"""Detects changed facts: a boot or another set-up may change kernel or settings."""

from __future__ import annotations

from common.texts import encode
from daemon.set_up import drifts
from host.files import in_dir, read_json, write_file
from host.host_facts import boot_id, host_facts

TYPE_CHECKING = False
if TYPE_CHECKING:
    from typing import Any

FILE = "prepared.json"


def remember_boot(spec: dict[str, Any]) -> None:
    """Records the commands of the facts, with the boot and set-up that they belong to."""
    asked = {key: spec[key] for key in ("host", "role")}
    write_file(in_dir(FILE), encode({**asked, "boot": boot_id(), "drifts": drifts()}))


def changed_facts() -> dict[str, Any]:
    """This host's facts, by the reason to take them again.

    `rebooted` or `setUpAgain`. Empty if the earlier ones hold.
    """
    prepared = read_json(in_dir(FILE))
    if prepared is None:
        return {}
    if prepared.get("boot") not in (None, boot_id()):
        why = "rebooted"
    elif prepared.get("drifts", drifts()) != drifts():
        why = "setUpAgain"
    else:
        return {}
    return {why: host_facts(prepared["host"], prepared["role"])}
