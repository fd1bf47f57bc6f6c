"""Puts the agent on a host: the `__main__` of the package that is copied there, started in the home directory.

usage: python3 PACKAGE DIGEST [SETTING...]. The package must have this SHA-256: another stack may have copied its own
in the meantime. With settings the host is then prepared by `prepare-host.sh`, which reads this program's stdin.
"""

from __future__ import annotations

import hashlib
import json
import os
import sys
import zipfile

DIRECTORY = ".egress-bench"


def main(package: str, expected: str, *settings: str) -> None:
    with open(package, "rb") as file:
        found = hashlib.sha256(file.read()).hexdigest()
    if found != expected:
        sys.exit(
            f"the agent on this host is not the one that was sent: expected SHA-256 {expected}, found {found}; "
            "run pulumi up again with a new runId"
        )
    with zipfile.ZipFile(package) as archive:
        sources = json.loads(archive.read("sources.json"))
    os.umask(0o077)
    try:
        os.makedirs(DIRECTORY, exist_ok=True)
        os.chdir(DIRECTORY)
        unpack(sources)
    except OSError as error:
        sys.exit(
            f"the agent cannot be written to {os.path.join(os.getcwd(), error.filename or '')}: {error.strerror}"
        )
    if settings:
        os.execv("/bin/sh", ["sh", "prepare-host.sh", *settings])  # noqa: S606


def unpack(sources: dict[str, str]) -> None:
    """Writes files whole and renames them, because a running agent may be reading them."""
    for name, text in sources.items():
        os.makedirs(os.path.dirname(name) or ".", exist_ok=True)
        with open(name + ".new", "w", encoding="utf-8") as file:
            file.write(text)
        os.replace(name + ".new", name)


if __name__ == "__main__":
    main(*sys.argv)
