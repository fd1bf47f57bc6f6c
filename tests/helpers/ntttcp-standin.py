#!/usr/bin/env python3
"""A stand-in for ntttcp, which no package registry has: TCP only, ntttcp's switches, ports and log, its XML in short.

It refuses what it does not know, so that a wrong switch is found out; tests/unit/bench/ntttcp.test.ts checks the
switches against what the real one documents. NTTTCP=/path/to/ntttcp makes the lab test use the real one instead.
"""
import getopt
import socket
import sys
import threading
import time


def log(kind: str, text: str) -> None:
    print(f"{time.strftime('%H:%M:%S')} {kind}: {text}", flush=True)


def drain(connection: socket.socket) -> None:
    with connection:
        while connection.recv(65536):
            pass


def serve(port: int) -> None:
    with socket.create_server(("0.0.0.0", port)) as listener:
        while True:
            threading.Thread(target=drain, args=(listener.accept()[0],), daemon=True).start()


def receive(base: int, ports: int) -> None:
    for port in range(base, base + ports):
        threading.Thread(target=serve, args=(port,), daemon=True).start()
    serve(base - 1)


def send(address: str, base: int, ports: int, each: int, seconds: int, file: str) -> int:
    try:
        socket.create_connection((address, base - 1)).close()
    except OSError as error:
        log("ERR ", f"failed to connect to receiver: {address}:{base - 1} on socket: 3. errno = {error.errno}")
        return 24
    streams = [socket.create_connection((address, base + port)) for port in range(ports) for _ in range(each)]
    begin, sent = time.monotonic(), 0
    while time.monotonic() - begin < seconds:
        sent += sum(stream.send(bytes(65536)) for stream in streams)
    took = time.monotonic() - begin
    log("INFO", f"{len(streams)} connections tested")
    with open(file, "w") as document:
        document.write(
            f'<ntttcps version="5.33-linux">\n<parameters><udp>False</udp></parameters>\n'
            f"<conns_tested>{len(streams)}</conns_tested>\n"
            f'<total_bytes metric="MB">{sent / 1e6:.6f}</total_bytes>\n<realtime metric="s">{took:.6f}</realtime>\n'
            f"<packets_retransmitted>0</packets_retransmitted>\n</ntttcps>\n"
        )
    return 0


def main() -> int:
    print("NTTTCP for Linux 0.0-standin", flush=True)
    # As in the real one, -s and -r take an optional value, and -x needs its value attached.
    words = [word for word in sys.argv[1:] if not word.startswith("-x")]
    file = next((word[2:] for word in sys.argv[1:] if word.startswith("-x")), "")
    given = dict(getopt.getopt(words, "s:rp:P:n:t:W:b:uHeQVh")[0])
    if "-h" in given:
        return 0
    base, ports, seconds = int(given["-p"]), int(given["-P"]), int(given["-t"])
    if "-r" in given:
        receive(base, 0 if "-u" in given else ports)
    return send(given["-s"], base, ports, int(given["-n"]), seconds, file)


sys.exit(main())
