"""Another account in a shared directory for temporary files: for everything that appears there it tries to put a link to its own
trap in the place, to write into it, to move it and to remove it. Arguments: directory, trap, file for what it managed. Ends by a
signal.
"""

import os
import sys
import time

directory, trap, managed = sys.argv[1:]


def plant(path: str) -> "list[str]":
    done = []
    attempts = {
        "wrote": lambda: open(os.path.join(path, "planted") if os.path.isdir(path) else path, "ab").close(),
        "moved": lambda: os.rename(path, path + ".moved"),
        "removed": lambda: os.unlink(path),
    }
    for name, attempt in attempts.items():
        try:
            before = os.lstat(path)
            attempt()
        except OSError:
            continue
        if before.st_uid != os.getuid():
            done.append(name)
    try:
        os.symlink(trap, path)
    except OSError:
        pass
    return done


with open(managed, "a", buffering=1) as log:
    log.write("watching\n")
    while True:
        for entry in os.listdir(directory):
            path = os.path.join(directory, entry)
            for what in plant(path):
                log.write(f"{what} {entry}\n")
        time.sleep(0.0005)
