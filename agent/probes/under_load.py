#!/usr/bin/env python3
"""usage: under_load.py --load COMMAND --probe COMMAND [--lead SECONDS]

Starts the load, waits --lead seconds (default 2), runs the probe, and waits for the load to end by itself. Prints
one JSON document with what both printed; the load's JSON is reduced as the host agent reduces it. Both are ended
with this process: they stay in its process group.
"""

from __future__ import annotations

import subprocess
import sys
import tempfile

from common.contract import CONTRACT
from common.documents import PROTOCOL_VERSION, print_document
from common.errors import BadInput
from common.json_reducer import find_object, reduce_json
from common.limits import MAX_RAW_BYTES, MAX_STDERR_BYTES
from common.options import TEXT, options
from common.texts import clip, encode, last

# Limit of the probe's output and of the load's: the report has 48 KB for both.
MAX_PART_BYTES = 20 * 1024

TYPE_CHECKING = False
if TYPE_CHECKING:
    from typing import IO, Any


def main(arguments: list[str]) -> int:
    if arguments[:1] in (["--help"], ["-h"]):
        print(__doc__)
        return 0
    try:
        given = options(arguments, {"load": (None, *TEXT), "probe": (None, *TEXT), "lead": ("2", 0, 60)})
    except BadInput as error:
        print(f"under_load.py: {error}", file=sys.stderr)
        return 2
    print_document(measure(given["load"], given["probe"], float(given["lead"])))
    return 0


def measure(load_command: str, probe_command: str, lead: float) -> dict[str, Any]:
    """Runs the probe during the load. A load that ends early is reported, and the probe still runs."""
    with tempfile.TemporaryFile() as out, tempfile.TemporaryFile() as errors:
        load = start(load_command, out, errors)
        try:
            load.wait(lead)
        except subprocess.TimeoutExpired:
            pass
        covered = load.poll() is None
        # Without its load the probe would measure something else, so it does not run.
        probe = run(probe_command) if covered else {"stdout": "", "stderr": "", "exitCode": 0}
        covered = covered and load.poll() is None
        load.wait()
        return {
            "version": PROTOCOL_VERSION,
            "probe": probe,
            "load": ended(load, text_of(out), text_of(errors), reduce=True),
            "covered": covered,
        }


def start(command: str, out: IO[bytes], errors: IO[bytes]) -> subprocess.Popen[bytes]:
    # exec makes the tool itself the child, so that signals to the group and the exit status are the tool's.
    return subprocess.Popen(
        ["/bin/sh", "-c", f"exec {command}"], stdin=subprocess.DEVNULL, stdout=out, stderr=errors
    )


def run(command: str) -> dict[str, Any]:
    with tempfile.TemporaryFile() as out, tempfile.TemporaryFile() as errors:
        process = start(command, out, errors)
        process.wait()
        return ended(process, text_of(out), text_of(errors))


def ended(process: subprocess.Popen[bytes], stdout: str, stderr: str, reduce: bool = False) -> dict[str, Any]:
    document = find_object(stdout) if reduce else None
    if document is not None:
        stdout = encode(reduce_json(document, CONTRACT["load"]["reducer"])).decode()
    code = process.returncode
    return {
        # Cut JSON fails in its parser, which is right: it is no measurement.
        "stdout": clip(stdout, MAX_PART_BYTES),
        "stderr": last(stderr, MAX_STDERR_BYTES),
        "exitCode": code if code >= 0 else 128 - code,
    }


def text_of(file: IO[bytes]) -> str:
    file.seek(0)
    return file.read(MAX_RAW_BYTES).decode("utf-8", "replace")
