"""Binds a pair's port beside the pair's program, which must fail, and after a kill, which must work."""

import os
import signal
import socket
import subprocess
import sys
from typing import Dict

sys.path.insert(0, sys.argv[1])
import wire

PORT = 3791
PARAMETERS = {"self": "127.0.82.1", "peer": "127.0.82.2", "port": PORT, "key": "k"}


def beside() -> str:
    """The error of binding the port a second time with SO_REUSEADDR, which needs no rights."""
    other = socket.socket(socket.AF_INET, socket.SOCK_DGRAM)
    other.setsockopt(socket.SOL_SOCKET, socket.SO_REUSEADDR, 1)
    try:
        other.bind((PARAMETERS["self"], PORT))
    except OSError as error:
        return os.strerror(error.errno or 0)
    return "it shares the port"


def hold() -> None:
    held: Dict[str, wire.Wire] = {"one": wire.Wire(PARAMETERS)}
    print("bound", len(held), flush=True)
    signal.pause()


if sys.argv[2:] == ["hold"]:
    hold()
for _ in range(3):
    with subprocess.Popen([sys.executable, *sys.argv, "hold"], stdout=subprocess.PIPE) as program:
        print(next(iter(program.stdout or ())).decode().strip(), "-", beside())
        program.kill()
