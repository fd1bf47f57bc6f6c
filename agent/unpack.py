"""Writes the files of a packed agent into the working directory; its argument is the package.

They are written whole and renamed: a running agent may be reading them.
"""

from __future__ import annotations

import gzip
import json
import os
import sys


def unpack(package: str) -> None:
    with gzip.open(package) as file:
        sources = json.load(file)
    for name, text in sources.items():
        os.makedirs(os.path.dirname(name) or ".", exist_ok=True)
        with open(name + ".new", "w", encoding="utf-8") as file:
            file.write(text)
        os.replace(name + ".new", name)
    # A module of an earlier release must not be found in place of a room.
    for name in os.listdir("."):
        if name.endswith(".py") and name not in sources:
            os.remove(name)


if __name__ == "__main__":
    unpack(sys.argv[1])
