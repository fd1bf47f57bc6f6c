"""Sends datagrams and opens TCP connections on the loopback interface of a network namespace of its own, and prints what the
agent's counters make of them. Its argument is the agent's directory."""

import json
import socket
import subprocess
import sys

sys.path.insert(0, sys.argv[1])
from sampling.kernel_counters import read_udp, udp_rise  # noqa: E402

subprocess.run(["ip", "link", "set", "lo", "up"], check=True)
before = read_udp()
receiver, sender = (socket.socket(socket.AF_INET, socket.SOCK_DGRAM) for _ in range(2))
receiver.bind(("127.0.0.1", 0))
for _ in range(3000):
    sender.sendto(b"x" * 100, receiver.getsockname())
    receiver.recv(200)
listener = socket.create_server(("127.0.0.1", 0))
for _ in range(3):
    socket.create_connection(listener.getsockname()).close()
after = read_udp()
print(
    json.dumps(
        {"raw": after["arrivedDatagrams"] - before["arrivedDatagrams"], "rise": udp_rise(before, after)}
    )
)
