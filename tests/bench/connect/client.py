"""usage: client.py PORT SECONDS: connects every 10 ms, with a blocking socket in a thread each.

Prints a line each, in order: milliseconds from the start to its beginning, and microseconds until it was
up, or -1.
"""

import socket
import struct
import sys
import threading
import time

INTERVAL = 0.01
TIMEOUT = 3


def attempt(number: int, results: list, begin: float, port: int) -> None:
    with socket.socket() as sock:
        sock.setsockopt(socket.SOL_SOCKET, socket.SO_LINGER, struct.pack("ii", 1, 0))
        sock.settimeout(TIMEOUT)
        begun = time.monotonic()
        try:
            sock.connect(("127.0.0.1", port))
            took = (time.monotonic() - begun) * 1e6
        except OSError:
            took = -1
    results[number] = (1000 * (begun - begin), took)


def main() -> None:
    port, seconds = int(sys.argv[1]), float(sys.argv[2])
    results = [(0.0, -1.0)] * round(seconds / INTERVAL)
    begin = time.monotonic()
    threads = []
    for number in range(len(results)):
        time.sleep(max(0.0, begin + number * INTERVAL - time.monotonic()))
        threads.append(threading.Thread(target=attempt, args=(number, results, begin, port)))
        threads[-1].start()
    for thread in threads:
        thread.join()
    for at, took in results:
        print(f"{at:.3f} {took:.1f}")


main()
