"""Prints how many UDP flows have their own time-out after `renew`, while most flows end before their orders arrive.

Argument: the path of the program. Runs in a network namespace of its own.
"""

import re
import socket
import subprocess
import sys

sys.path.insert(0, sys.argv[1])
import main

FLOWS, KEPT = 10_000, 500
# As many orders as the kernel lists flows at once; its errors for all of them do not fit into a socket's buffer.
FULL = 100 * 80


def run(*words, text=None):
    done = subprocess.run(words, input=text, check=True, encoding="utf-8", capture_output=True)
    return done.stdout


class Socket(socket.socket):
    """Lets most flows end before the first full batch of orders."""

    ended = False

    def send(self, data):
        if len(data) > FULL and not Socket.ended:
            Socket.ended = True
            run("conntrack", "-D", "-s", "10.0.0.1")
        return super().send(data)


run(
    "nft",
    "-f",
    "-",
    text="table ip t { chain c { type filter hook output priority 0; ct state new accept; }; }",
)
rest = "-d 10.0.1.1 --dport 53 -t 300 -u SEEN_REPLY,ASSURED"
sources = [(2 if at < KEPT else 1, 1024 + at) for at in range(FLOWS)]
entries = [f"-I -p udp -s 10.0.0.{host} --sport {port} {rest}\n" for host, port in sources]
run("conntrack", "--load-file", "/dev/stdin", text="".join(entries))
socket.socket = Socket
status = main.renew()
left = [int(one) for one in re.findall(r"^udp +17 (\d+) ", run("conntrack", "-L"), re.M)]
print(
    f"ended meanwhile: {Socket.ended}, status {status}, {sum(one <= 120 for one in left)} of {len(left)} renewed"
)
