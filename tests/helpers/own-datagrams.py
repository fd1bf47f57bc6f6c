"""Sends datagrams, and TCP of both families, on the loopback interface of a network namespace of its own, while another
namespace sends datagrams to the test's port, to one whose socket is full, and to one without a socket. Prints what came and
what the agent's counters make of it, without and with the test's ports. Its argument is the agent's directory.
"""

import json
import os
import socket
import struct
import subprocess
import sys
import time

sys.path.insert(0, sys.argv[1])
from sampling.counter import TestPorts, handed_over  # noqa: E402
from sampling.kernel_counters import read_udp, udp_rise  # noqa: E402

OUTSIDE = 1000
SEND = f"""
import socket, time
sender = socket.socket(socket.AF_INET, socket.SOCK_DGRAM)
for number in range({OUTSIDE}):
    # Each tenth comes in two fragments.
    sender.sendto(b"x" * (100 if number % 10 else 2000), ("198.18.0.1", 5000))
    sender.sendto(b"x" * 1000, ("198.18.0.1", 5003 + number % 2))
    time.sleep(0.0002)
talk = socket.create_connection(("198.18.0.1", 5001))
talk.setsockopt(socket.IPPROTO_TCP, socket.TCP_NODELAY, 1)
while talk.recv(1):
    talk.sendall(b"x")
"""


def ip(*words: str) -> None:
    subprocess.run(["ip", *words], check=True)


other = subprocess.Popen(["unshare", "--net", "sleep", "60"])
while os.readlink(f"/proc/{other.pid}/ns/net") == os.readlink("/proc/self/ns/net"):
    time.sleep(0.01)
inside = ("nsenter", "-t", str(other.pid), "--net")
ip("link", "set", "lo", "up")
ip("link", "add", "near", "type", "veth", "peer", "name", "far", "netns", str(other.pid))
ip("addr", "add", "198.18.0.1/30", "dev", "near")
ip("link", "set", "near", "up")
subprocess.run([*inside, "ip", "addr", "add", "198.18.0.2/30", "dev", "far"], check=True)
subprocess.run([*inside, "ip", "link", "set", "far", "up"], check=True)

outside = socket.socket(socket.AF_INET, socket.SOCK_DGRAM)
outside.bind(("198.18.0.1", 5000))
outside.settimeout(10)
full = socket.socket(socket.AF_INET, socket.SOCK_DGRAM)
full.setsockopt(socket.SOL_SOCKET, socket.SO_RCVBUF, 0)
full.bind(("198.18.0.1", 5003))
outside_listener = socket.create_server(("198.18.0.1", 5001))
test, handed = TestPorts([(5000, 5002)]), handed_over([(5000, 5002)], [], 60)
before = read_udp(test)
sending = subprocess.Popen([*inside, sys.executable, "-c", SEND])
came = 0
while came < OUTSIDE:
    came += 1 if outside.recv(4000) else 0
talk, _ = outside_listener.accept()
talk.setsockopt(socket.IPPROTO_TCP, socket.TCP_NODELAY, 1)
for _ in range(4000):
    talk.sendall(b"x")
    talk.recv(1)
talk.close()
receiver, sender = (socket.socket(socket.AF_INET, socket.SOCK_DGRAM) for _ in range(2))
receiver.bind(("127.0.0.1", 0))
for _ in range(3000):
    sender.sendto(b"x" * 100, receiver.getsockname())
    receiver.recv(200)
for family, own in ((socket.AF_INET, "127.0.0.1"), (socket.AF_INET6, "::1")):
    listener = socket.create_server((own, 0), family=family)
    near_end = socket.create_connection(listener.getsockname()[:2])
    far_end, _ = listener.accept()
    for one in (near_end, far_end):
        one.setsockopt(socket.IPPROTO_TCP, socket.TCP_NODELAY, 1)
    for _ in range(5000):
        near_end.sendall(b"x")
        far_end.recv(1)
after = read_udp(test)
sending.wait()
other.terminate()
with open("/proc/net/snmp") as file:
    errors = [line.split() for line in file if line.startswith("Udp:")]
without = [
    {name: value for name, value in one.items() if name not in ("testDatagrams", "othersDrops")}
    for one in (before, after)
]
print(
    json.dumps(
        {
            "came": came,
            "raw": after["arrivedDatagrams"] - before["arrivedDatagrams"],
            "dropped": int(errors[1][errors[0].index("RcvbufErrors")]),
            "rise": udp_rise(*without),
            "ofTest": udp_rise(before, after),
            "handed": struct.unpack("II", handed.getsockopt(263, 6, 8))[0],
        }
    )
)
