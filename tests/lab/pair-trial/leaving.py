"""Prints whether a machine leaves its traffic to the other one, while `drain` runs and after it was ended.

Arguments: the path of the program, a directory of the test's own.
"""

import os
import signal
import subprocess
import sys
import time

sys.path.insert(0, sys.argv[1])
import main

import run

# The machine's own files are in /run.
main.PIDS = run.PIDS = sys.argv[2]


SOUND = {"peer_heard": True, "peer_forwards": True, "peer_sync_running": True}
ACTIVE = {**SOUND, "role": "active", "active": True, "peer_carries": False}
HANDED_OVER = {**SOUND, "role": "leaving", "active": False, "peer_carries": True}
# Until the peer has left it has no copies either: this machine would refuse at once.
PEER_LEAVES = {**ACTIVE, "peer_leaving": True, "peer_sync_running": False}


def drain() -> None:
    """Waits for seconds, as on a machine whose peer does not take over."""
    said = {
        "no status": None,
        "peer carries": HANDED_OVER,
        "peer does not forward": {**HANDED_OVER, "peer_forwards": False},
        "peer fails to load its copies": {**HANDED_OVER, "peer_sync_running": False},
        "no peer": {**HANDED_OVER, "peer_carries": False, "peer_heard": False},
        "peer without copies": {**ACTIVE, "peer_sync_running": False},
        "standby": {**HANDED_OVER, "role": "standby"},
        "peer leaves first": HANDED_OVER,
    }
    first = [PEER_LEAVES] * 3 if sys.argv[4:] == ["peer leaves first"] else []
    main.known = lambda: first.pop() if first else said[sys.argv[4]] if sys.argv[4:] else ACTIVE
    signal.signal(signal.SIGINT, signal.default_int_handler)
    sys.exit(main.drain())


def leaves() -> bool:
    return run.pid_of("leaving") is not None


def soon() -> bool:
    ends = time.monotonic() + 30
    while not leaves() and time.monotonic() < ends:
        time.sleep(0.01)
    return leaves()


if sys.argv[3:4] == ["drain"]:
    drain()
print("before:", leaves())
for number in (signal.SIGINT, signal.SIGHUP, signal.SIGTERM, signal.SIGKILL):
    with subprocess.Popen([sys.executable, *sys.argv, "drain"], stderr=subprocess.DEVNULL) as program:
        during = soon()
        program.send_signal(number)
        program.wait()
        print(f"{number.name}: {during}, then {leaves()}")
for status in (
    "peer carries",
    "peer does not forward",
    "peer fails to load its copies",
    "no peer",
    "no status",
    "peer without copies",
    "standby",
    "peer leaves first",
):
    run.write(f"{run.PIDS}/leaving", "")
    ended = subprocess.run([sys.executable, *sys.argv, "drain", status], check=False, stderr=subprocess.PIPE)
    handed_over = run.read(f"{run.PIDS}/leaving") != ""
    print(
        f"{status}: {ended.returncode} {ended.stderr.decode().strip()}, handed over: {handed_over}, then {leaves()}"
    )
run.write(f"{run.PIDS}/leaving", f"{os.getpid()} {run.stat_of(os.getpid())[19]}")
before = leaves()
run.write(f"{run.PIDS}/leaving", f"{os.getpid()} 1")
print(f"this process: {before}, another that had its id: {leaves()}")
