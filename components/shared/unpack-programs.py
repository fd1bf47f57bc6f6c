# Unpacks the programs of user data. Argument: an LZMA file of texts with NUL between them; the first line of each is
# its path and its mode. cloud-init is a Python program, so each machine has Python's library. A program may contain
# secrets, so its file is never more open than its mode.

import lzma
import os
import sys

os.umask(0)
with lzma.open(sys.argv[1]) as packed:
    programs = packed.read().split(b"\0")
for program in programs:
    head, text = program.split(b"\n", 1)
    path, mode = head.split()
    opened = os.open(path, os.O_CREAT | os.O_WRONLY | os.O_TRUNC, int(mode, 8))
    with open(opened, "wb") as file:
        file.write(text)
