"""A trial's flows, of another make than the agent's own probe: TCP that echoes, that only receives, and that is idle;
UDP; a UDP stream every 10 ms. Arguments: address, flows of each kind. A line on stdin begins a trial, and the next one
ends it and prints a JSON line: the seconds that flows may need for an answer; "tcp": as long as TCP may need.

A flow has survived if it is answered on the same connection, of UDP from the same outside port, after the trial's end.
"""

import asyncio
import json
import sys
import time

ADDRESS, FLOWS = sys.argv[1], int(sys.argv[2])
PERIOD = 0.2
STREAM = 0.01
# A path that is still down then counts as not recovered. The outage has the time that it took.
BACK_SECONDS = 20
# TCP doubles its waiting time, so it may wait as long again as the outage.
TCP_SECONDS = 45
MORE_SECONDS = 10


class Echo:
    speaks = True
    hello = b"hello"

    async def open(self):
        self.reader, self.writer = await asyncio.wait_for(asyncio.open_connection(ADDRESS, 7000), 5)
        self.last = 0.0
        self.dead = ""
        self.writer.write(self.hello)
        self.task = asyncio.create_task(self.read())
        self.speaker = asyncio.create_task(self.speak()) if self.speaks else None
        return self

    async def read(self):
        try:
            while await self.reader.read(4096):
                self.last = time.monotonic()
            self.dead = "ended"
        except OSError as error:
            self.dead = type(error).__name__

    async def speak(self):
        while True:
            await asyncio.sleep(PERIOD)
            self.say()

    def say(self):
        if not self.dead:
            self.writer.write(b"x")

    def answered_since(self, moment):
        return self.last > moment

    async def close(self):
        for task in (self.task, self.speaker):
            if task is not None:
                task.cancel()
        self.writer.transport.abort()


class Idle(Echo):
    speaks = False


class Download(Echo):
    speaks = False
    hello = b"send"

    def say(self):
        pass


class Datagrams(asyncio.DatagramProtocol):
    dead = ""

    async def open(self):
        self.port = None
        self.last = 0.0
        loop = asyncio.get_running_loop()
        self.transport, _ = await loop.create_datagram_endpoint(lambda: self, remote_addr=(ADDRESS, 7001))
        self.speaker = asyncio.create_task(self.speak())
        return self

    async def speak(self):
        while True:
            self.say()
            await asyncio.sleep(PERIOD)

    def say(self):
        self.transport.sendto(b"x")

    def datagram_received(self, data, _):
        port = data.split()[0]
        self.port = self.port or port
        if port == self.port:
            self.last = time.monotonic()
        else:
            self.dead = "another port"

    def error_received(self, _):
        pass

    def answered_since(self, moment):
        return self.last > moment

    async def close(self):
        self.speaker.cancel()
        self.transport.close()


class Stream(asyncio.DatagramProtocol):
    """Longest time without an answer to a message, and whether it ended."""

    async def open(self):
        self.answered = set()
        self.sent = []
        loop = asyncio.get_running_loop()
        self.transport, _ = await loop.create_datagram_endpoint(lambda: self, remote_addr=(ADDRESS, 7001))
        self.speaker = asyncio.create_task(self.speak())
        return self

    async def speak(self):
        due = time.monotonic()
        while True:
            self.sent.append(time.monotonic())
            self.transport.sendto(b"%d" % (len(self.sent) - 1))
            due = max(due + STREAM, time.monotonic() - 1)
            await asyncio.sleep(due - time.monotonic())

    def datagram_received(self, data, _):
        self.answered.add(int(data.split()[1]))

    def error_received(self, _):
        pass

    def outage(self):
        """Milliseconds from the first unanswered datagram of a row to the next answered one; when; whether it came."""
        longest, begun, last = 0.0, None, 0
        # The last messages may still be in flight.
        seen = [at for at in range(len(self.sent)) if self.sent[at] < time.monotonic() - 0.5]
        for at in seen:
            if at in self.answered:
                begun = None
            elif begun is None:
                begun = self.sent[at]
            if begun is not None and self.sent[at] - begun >= longest:
                longest, last = self.sent[at] - begun, at + 1
        ended = self.sent[last] if last < len(self.sent) else time.monotonic()
        return round(longest * 1000), ended, begun is None

    async def close(self):
        self.speaker.cancel()
        self.transport.close()


KINDS = {"echo": Echo, "download": Download, "idle": Idle, "udp": Datagrams}


async def trial(lines):
    flows = {
        kind: await asyncio.gather(*(make().open() for _ in range(FLOWS))) for kind, make in KINDS.items()
    }
    stream = await Stream().open()
    await asyncio.sleep(1)
    print("ready", flush=True)
    word = (await lines.readline()).strip()
    until = time.monotonic() + BACK_SECONDS
    # One check per turn: in between, a datagram may be lost or late.
    outage, ended, back = stream.outage()
    while not back and time.monotonic() < until:
        await asyncio.sleep(0.2)
        outage, ended, back = stream.outage()
    await stream.close()
    wait = max(TCP_SECONDS, outage / 1000 + MORE_SECONDS) if word == b"tcp" else float(word)
    moment = time.monotonic()
    everyone = [flow for some in flows.values() for flow in some]
    for flow in flows["idle"]:
        flow.say()
    left = [flow for flow in everyone if not flow.dead]
    while left and time.monotonic() < moment + (wait if back else 1):
        await asyncio.sleep(0.05)
        left = [flow for flow in left if not flow.dead and not flow.answered_since(moment)]
    survived = {
        kind: sum(not flow.dead and flow.answered_since(moment) for flow in some)
        for kind, some in flows.items()
    }
    await asyncio.gather(*(flow.close() for flow in everyone))
    outcome = {"outageMs": outage, "endedAt": ended, "back": back, "of": FLOWS, "survived": survived}
    print(json.dumps(outcome), flush=True)


async def main():
    lines = asyncio.StreamReader()
    await asyncio.get_running_loop().connect_read_pipe(lambda: asyncio.StreamReaderProtocol(lines), sys.stdin)
    while True:
        line = await lines.readline()
        if not line:
            return
        await trial(lines)


asyncio.run(main())
