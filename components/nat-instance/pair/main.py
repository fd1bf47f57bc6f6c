"""egress-bench-ha: one machine of a pair of NAT instances.

status   what this machine is, as JSON; ready: status 0 once it carries, or stands by with what it needs
drain    hands over to the other machine, and stands by; stop: the same, and ends; crash: ends at once
allowed  whether its role may take over; check: whether it forwards; renew: gives UDP flows their own time-out
"""

import importlib
import json
import os
import signal
import socket
import struct
import sys
import time
from typing import Any, Callable, Dict, Optional, Union

from run import METRICS_FILE, PIDS, ROLE_FILE, STATUS_FILE, end, launch, pid_of, read, run, stat_of, write

PARAMETERS = "/etc/egress-bench/pair.json"
FRESH_SECONDS = 5
UNIT = "egress-bench-ha.service"
SYSTEMD = "/run/systemd/system"
# RFC 4787 (REQ-5): a UDP flow that was taken over is dropped after this time without a packet.
UDP_SECONDS = 120


def parameters() -> Dict[str, Any]:
    with open(PARAMETERS, encoding="utf-8") as file:
        return json.load(file)


def outside() -> Any:
    own = parameters()["outside"]
    return importlib.import_module(own["kind"]).Outside(own)


def known() -> Optional[Dict[str, Any]]:
    """The daemon's status, written each second; None where its time is more than 5 s from now, in either direction."""
    said = json.loads(read(STATUS_FILE) or '{"written": 0}')
    return said if abs(time.time() - said["written"]) < FRESH_SECONDS else None


def until(done: Callable[[], bool], seconds: float) -> bool:
    ends = time.monotonic() + seconds
    while not done():
        if time.monotonic() > ends:
            return False
        time.sleep(0.05)
    return True


def serve() -> int:
    from daemon import Daemon

    # Highest priority: sessions wait for this daemon. Where the kernel groups processes by session (autogroup), the
    # group has a nice value too.
    try:
        os.nice(-20)
        with open("/proc/self/autogroup", "w", encoding="utf-8") as file:
            file.write("-20")
    except OSError:
        pass
    os.makedirs(PIDS, exist_ok=True)
    write(f"{PIDS}/daemon", str(os.getpid()))
    Daemon(parameters()).run()
    return 0


def start() -> int:
    os.makedirs(PIDS, exist_ok=True)
    if os.path.isdir(SYSTEMD):
        return run(["systemctl", "start", UNIT], 30)[0] or 0
    if pid_of("supervisor") is None:
        # Without systemd: a loop that restarts the daemon whenever it ends.
        again = ["sh", "-c", 'while :; do "$@"; sleep 0.2; done', "sh"]
        launch("supervisor", [*again, sys.executable, "-B", os.path.abspath(__file__), "serve"])
    return 0 if until(lambda: known() is not None, 20) else 1


def end_daemon() -> None:
    if os.path.isdir(SYSTEMD):
        run(["systemctl", "stop", UNIT], 30)
    for name in ("supervisor", "daemon"):
        end(pid_of(name), signal.SIGKILL)


def leave() -> bool:
    """Has the peer take over until this one ends; traffic here continues meanwhile. True if it has and is ready."""
    write(f"{PIDS}/leaving", f"{os.getpid()} {stat_of(os.getpid())[19]}")

    def gone() -> bool:
        now = known()
        return now is None or (now["role"] == "leaving" and (now["peer_carries"] or not now["peer_heard"]))

    until(gone, 5)
    time.sleep(0.5)
    return peer_has(known())


def peer_has(now: Optional[Dict[str, Any]]) -> bool:
    """Whether the peer carries the traffic, and is ready to."""
    return bool(now and now["peer_carries"] and now.get("peer_forwards") and now.get("peer_sync_running"))


def drain() -> Union[int, str]:
    # Two that leave at once would leave the traffic to nobody: one after the other, and a standby has none to leave.
    until(lambda: not (known() or {}).get("peer_leaving"), 10)
    now = known()
    if now and now["role"] == "standby" and peer_has(now):
        return 0
    # A peer that is heard and has no copies would end the sessions.
    ends = now and now["active"] and now["peer_heard"] > now["peer_sync_running"]
    return "the other machine is not ready" if ends or not leave() else 0


def stop() -> int:
    leave()
    return crash()


def crash() -> int:
    end_daemon()
    end(pid_of("conntrackd"), signal.SIGKILL)
    forget()
    return 0


def forget() -> None:
    outside().release()
    run(["rm", "-f", ROLE_FILE, STATUS_FILE, METRICS_FILE], 2)


def status() -> int:
    now = known()
    print(json.dumps(now or {"error": "no answer"}))
    return 0 if now else 1


def ready() -> int:
    now = known()
    return 0 if now and now["ready"] else 1


def allowed() -> int:
    """Asks again until the patience ends: a new IAM role takes a while to take effect everywhere."""
    place = outside()
    refused = [""]

    def tried() -> bool:
        refused[:] = place.allowed()
        return not refused

    if until(tried, float(os.environ.get("EGRESS_BENCH_PATIENCE", "90"))):
        return 0
    print("\n".join(refused), file=sys.stderr)
    return 1


def check() -> int:
    from check import Check, enter

    one = Check(parameters())
    one.look_up()
    return 0 if enter() and one.once() else 1


def renew() -> int:
    """Sets the time-out of all UDP flows by ctnetlink: `conntrack -U` (1.4.7) ends with an error after 256 of them."""
    head = "IHHIII"
    # 12: NETLINK_NETFILTER.
    kernel = socket.socket(socket.AF_NETLINK, socket.SOCK_RAW, 12)
    # NETLINK_NO_ENOBUFS: each flow that has ended meanwhile is answered by an error, more than the buffer holds.
    kernel.setsockopt(270, 5, 1)
    # IPCTNL_MSG_CT_GET with NLM_F_REQUEST and NLM_F_DUMP, of IPv4.
    kernel.send(struct.pack(head, 20, 257, 769, 0, 0, 2))
    while True:
        entries = kernel.recv(65536)
        orders = b""
        while entries:
            size, kind, *_ = struct.unpack_from(head, entries)
            if kind == 3:
                return 0
            # The first attribute is the original tuple. The order is IPCTNL_MSG_CT_NEW with it and CTA_TIMEOUT.
            if kind == 256 and entries[52] == socket.IPPROTO_UDP:
                order = struct.pack(head, 80, 256, 1, 0, 0, 2) + entries[20:72]
                orders += order + bytes([8, 0, 7, 0, 0, 0, 0, UDP_SECONDS])
            entries = entries[size:]
        if orders:
            kernel.send(orders)


COMMANDS = {
    one.__name__: one for one in (serve, start, drain, stop, crash, status, ready, allowed, check, renew)
}

if __name__ == "__main__":
    command = COMMANDS.get(sys.argv[1] if len(sys.argv) == 2 else "")
    if command is None:
        sys.exit("|".join(COMMANDS))
    sys.exit(command())
