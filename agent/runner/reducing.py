"""Limits a tool's output and the whole report to their sizes."""

from __future__ import annotations

import os

from common.errors import failure
from common.json_reducer import find_object, reduce_json
from common.limits import MAX_RAW_BYTES, MAX_REPORT_BYTES, MAX_STDOUT_BYTES
from common.texts import clip, encode
from host.files import read_ends
from sampling.cpu_usage import thin

TYPE_CHECKING = False
if TYPE_CHECKING:
    from typing import Any, Callable, Dict, List

    Thinner = Callable[[List[Dict[str, Any]], int], List[Dict[str, Any]]]


# A host with less takes no significant space.
LARGE_HOST_BYTES = 2048


def reduce_output(file: str, reducer: str) -> tuple[str, str | None]:
    """The reduced stdout of a tool for the report, and its failure (None: none the agent knows).

    Text that does not fit is cut in its middle, which is wrong; JSON is never cut.
    """
    size = os.path.getsize(file)
    if size >= MAX_RAW_BYTES:
        return clip(
            read_ends(file, MAX_STDOUT_BYTES), MAX_STDOUT_BYTES
        ), f"the tool wrote more than {MAX_RAW_BYTES} bytes and was ended"
    if reducer != "none":
        with open(file, encoding="utf-8", errors="replace") as stream:
            document = find_object(stream.read())
        if document is not None:
            text = encode(reduce_json(document, reducer)).decode()
            if len(text.encode()) <= MAX_STDOUT_BYTES:
                return text, None
            return clip(
                text, MAX_STDOUT_BYTES
            ), f"reduced to {len(text)} bytes, {MAX_STDOUT_BYTES} are allowed"
    text = read_ends(file, MAX_STDOUT_BYTES)
    if size <= MAX_STDOUT_BYTES and len(text.encode("utf-8", "replace")) <= MAX_STDOUT_BYTES:
        return text, None
    return clip(
        text, MAX_STDOUT_BYTES
    ), f"the tool wrote {size} bytes, {MAX_STDOUT_BYTES} are allowed: the whole is in the raw file"


def thinners() -> dict[str, Thinner]:
    """For each part of a host's figures, the function that makes its series coarser."""
    from sampling.network_usage import thin_network

    return {"cpu": thin, "network": thin_network}


def fit(report: dict[str, Any]) -> bytes:
    """The report within MAX_REPORT_BYTES.

    Series get coarser first, then the largest host is dropped; else it fails.
    """
    samples = [
        (host[part], host[part]["series"], thinner)
        for host in report["hosts"]
        for part, thinner in thinners().items()
        if host.get(part) is not None
    ]
    longest = max((len(series) for _, series, _ in samples), default=0)
    size = len(encode(report))
    in_series = sum(len(encode(series)) for _, series, _ in samples)
    # A smaller group cannot suffice; rounding up may need a larger one.
    group = in_series // max(1024, MAX_REPORT_BYTES - (size - in_series))
    while size > MAX_REPORT_BYTES and group <= longest:
        group += 1
        for usage, series, thinner in samples:
            usage["series"] = thinner(series, group)
        size = len(encode(report))
    while size > MAX_REPORT_BYTES and any(len(encode(host)) > LARGE_HOST_BYTES for host in report["hosts"]):
        largest = max(report["hosts"], key=lambda host: len(encode(host)))
        given_up = {"cpu": None, "network": None, "problem": "more figures than the report has room for"}
        report["hosts"] = [
            {"host": host["host"], "role": host["role"], **given_up} if host is largest else host
            for host in report["hosts"]
        ]
        size = len(encode(report))
    if size > MAX_REPORT_BYTES:
        report["failure"] = report["failure"] or failure(
            "bad-output", f"the report would have {size} bytes, {MAX_REPORT_BYTES} are allowed"
        )
        excess = len(encode(report)) - MAX_REPORT_BYTES
        report["stdout"] = clip(report["stdout"], max(0, len(encode(report["stdout"])) - excess))
    return encode(report)
