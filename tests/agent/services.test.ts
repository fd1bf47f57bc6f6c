/** Whether a process listens on a port, by the kernel's tables. */
import { createSocket } from "node:dgram";
import { once } from "node:events";
import { connect, createServer, type Server, type Socket } from "node:net";
import { expect, it, onTestFinished } from "vitest";
import { evaluate } from "../helpers/agent-host.ts";

const listens = (port: number, pid = process.pid) =>
  evaluate("services.listens(data['pid'], data['port'])", { pid, port });

async function listener(host: string): Promise<{ server: Server; port: number }> {
  const server = createServer().listen(0, host);
  await once(server, "listening");
  onTestFinished(() => void server.close());
  return { server, port: (server.address() as { port: number }).port };
}

it.each(["127.0.0.1", "::"])("a TCP listener on %s does, until it is closed", async (host) => {
  const { server, port } = await listener(host);
  expect(listens(port)).toBe(true);
  server.close();
  await once(server, "close");
  expect(listens(port)).toBe(false);
});

it.each([
  ["udp4", "127.0.0.1"],
  ["udp6", "::ffff:127.0.0.1"],
] as const)("a socket of %s does, unless it is connected", async (type, address) => {
  const socket = createSocket(type).bind(0, address);
  onTestFinished(() => void socket.close());
  await once(socket, "listening");
  const { port } = socket.address();
  expect(listens(port)).toBe(true);
  socket.connect(port, address);
  await once(socket, "connect");
  expect(listens(port)).toBe(false);
});

it("neither does another process nor an ended one", async () => {
  const { port } = await listener("127.0.0.1");
  expect(listens(port, process.ppid)).toBe(false);
  expect(listens(port, 2 ** 22)).toBe(false);
});

it("a host's connections, possibly tens of thousands, are not read", async () => {
  const count = 1000;
  const { server, port } = await listener("127.0.0.1");
  const accepted: Socket[] = [];
  server.on("connection", (socket) => accepted.push(socket));
  const made = Array.from({ length: count }, () => connect(port, "127.0.0.1"));
  onTestFinished(() => [...made, ...accepted].forEach((socket) => void socket.destroy()));
  await expect.poll(() => accepted.length).toBe(count);

  const charactersRead = "int(open('/proc/self/io').readline().split()[1])";
  const [before, found, after] = evaluate(
    `[${charactersRead}, services.listens(data['pid'], data['port']), ${charactersRead}]`,
    { pid: process.pid, port },
  ) as [number, boolean, number];
  expect(found).toBe(true);
  const bytesPerRow = 150;
  expect(after - before).toBeLessThan(count * bytesPerRow);
});
