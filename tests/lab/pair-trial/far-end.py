"""The far end of a trial's flows: echoes TCP and UDP, and sends data to flows that ask for a download."""

import asyncio

PERIOD = 0.2


async def tcp(reader, writer):
    try:
        first = await reader.read(100)
        if first == b"send":
            number = 0
            while True:
                writer.write(b"%09d\n" % number)
                await writer.drain()
                number += 1
                await asyncio.sleep(PERIOD)
        while first:
            writer.write(first)
            await writer.drain()
            first = await reader.read(100)
    except OSError:
        pass
    finally:
        writer.close()


class Udp(asyncio.DatagramProtocol):
    def connection_made(self, transport):
        self.transport = transport

    def datagram_received(self, data, address):
        self.transport.sendto(b"%d %s" % (address[1], data), address)


async def main():
    await asyncio.get_running_loop().create_datagram_endpoint(Udp, local_addr=("0.0.0.0", 7001))
    server = await asyncio.start_server(tcp, "0.0.0.0", 7000, backlog=1024)
    print("listening", flush=True)
    await server.serve_forever()


asyncio.run(main())
