"""Binds a pair's port beside the pair's program, which must fail, and after a kill, which must work.

A socket that is first keeps the program from starting, until it is closed.
"""

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


def beside(other: socket.socket) -> str:
    """The error of binding the port with SO_REUSEADDR, which needs no rights."""
    other.setsockopt(socket.SOL_SOCKET, socket.SO_REUSEADDR, 1)
    try:
        other.bind((PARAMETERS["self"], PORT))
    except OSError as error:
        return os.strerror(error.errno or 0)
    return "it has the port"


def hold() -> None:
    try:
        held: Dict[str, wire.Wire] = {"one": wire.Wire(PARAMETERS)}
    except OSError as error:
        print(os.strerror(error.errno or 0), flush=True)
        return
    print("bound", len(held), flush=True)
    signal.pause()


def program(other: socket.socket) -> None:
    with subprocess.Popen([sys.executable, *sys.argv, "hold"], stdout=subprocess.PIPE) as started:
        print(next(iter(started.stdout or ())).decode().strip(), "-", beside(other))
        started.kill()


if sys.argv[2:]:
    hold()
    sys.exit()
for _ in range(2):
    with socket.socket(socket.AF_INET, socket.SOCK_DGRAM) as late:
        program(late)
with socket.socket(socket.AF_INET, socket.SOCK_DGRAM) as first:
    print("first:", beside(first))
    program(first)
with socket.socket(socket.AF_INET, socket.SOCK_DGRAM) as late:
    program(late)
