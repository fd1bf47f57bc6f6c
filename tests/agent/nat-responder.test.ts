/** The NAT responder as a server's daemon runs it: its answers to its own stack, and to strangers. */
import { spawn } from "node:child_process";
import { createHmac, randomBytes } from "node:crypto";
import { createSocket, type Socket } from "node:dgram";
import { once } from "node:events";
import { connect } from "node:net";
import { join } from "node:path";
import { describe, expect, it, onTestFinished } from "vitest";
import { freePort } from "../helpers/ports.ts";
import { preparedHost } from "../helpers/prepared-host.ts";

const HELLO = 1;
const LATER = 2;
const FROM_OTHER = 3;
const REPLY = 0x80;
const SIZE = 60;

const server = preparedHost();

interface Request {
  readonly operation: number;
  readonly cookie?: Buffer;
  readonly delayMs?: number;
  readonly secret?: string;
  readonly nonce?: Buffer;
}

/** The message format, written independently of the program's own. */
function message({ operation, cookie, delayMs = 0, secret, nonce = randomBytes(8) }: Request): Buffer {
  const body = Buffer.alloc(44);
  body.write("ebn1");
  body.writeUInt8(operation, 4);
  body.writeUInt32BE(delayMs, 8);
  nonce.copy(body, 12);
  cookie?.copy(body, 20);
  const mac = createHmac("sha256", secret ?? server.prepareSpec.secret)
    .update(body)
    .digest();
  return Buffer.concat([body, mac.subarray(0, 16)]);
}

interface Reply {
  readonly data: Buffer;
  readonly from: number;
  readonly operation: number;
  readonly nonce: Buffer;
  readonly cookie: Buffer;
  readonly seen: string;
}

/** A UDP socket on its own port, with everything it has received. */
async function udp(
  to = server.ports.nat,
): Promise<{ socket: Socket; port: number; replies: Reply[]; send(data: Buffer): void }> {
  const socket = createSocket("udp4");
  const replies: Reply[] = [];
  socket.on("message", (data, { port }) => {
    const address = [...data.subarray(36, 40)].join(".");
    replies.push({
      data,
      from: port,
      operation: data.readUInt8(4),
      nonce: data.subarray(12, 20),
      cookie: data.subarray(20, 36),
      seen: `${address}:${data.readUInt16BE(40)}`,
    });
  });
  socket.bind(0, "127.0.0.1");
  await once(socket, "listening");
  const send = (data: Buffer) => socket.send(data, to, "127.0.0.1");
  return { socket, port: socket.address().port, replies, send };
}

/** All answers to some datagrams, up to the answer to a good one sent after them. */
async function answersTo(...datagrams: Buffer[]): Promise<Reply[]> {
  const { socket, replies, send } = await udp();
  const nonce = randomBytes(8);
  for (const datagram of datagrams) send(datagram);
  send(message({ operation: HELLO, nonce }));
  await expect.poll(() => replies.some((reply) => reply.nonce.equals(nonce))).toBe(true);
  socket.close();
  return replies.filter((reply) => !reply.nonce.equals(nonce));
}

describe("over UDP", () => {
  it("tells its own stack the address and port it sees, in as many bytes as the request has", async () => {
    const { socket, port, replies, send } = await udp();
    const nonce = randomBytes(8);
    send(message({ operation: HELLO, nonce }));
    await expect.poll(() => replies.length).toBe(1);
    expect(replies[0]).toMatchObject({ operation: HELLO | REPLY, nonce, seen: `127.0.0.1:${port}` });
    expect(replies[0]?.from).toBe(server.ports.nat);
    expect(replies[0]?.data.length).toBe(SIZE);
    socket.close();
  });

  it("answers a request with its cookie once, later or from the other port", async () => {
    const { socket, replies, send } = await udp();
    send(message({ operation: HELLO }));
    await expect.poll(() => replies.length).toBe(1);
    const { cookie } = replies[0] as Reply;
    const begin = performance.now();
    send(message({ operation: LATER, cookie, delayMs: 300 }));
    send(message({ operation: FROM_OTHER, cookie }));
    await expect.poll(() => replies.length).toBe(3);
    expect(performance.now() - begin).toBeGreaterThanOrEqual(300);
    const { nat, natOther } = server.ports;
    expect(replies.slice(1).map(({ operation, from, data }) => [operation, from, data.length])).toEqual([
      [FROM_OTHER | REPLY, natOther, SIZE],
      [LATER | REPLY, nat, SIZE],
    ]);
    socket.close();
  });

  it("never answers strangers", async () => {
    const good = message({ operation: HELLO });
    const changed = Buffer.from(good);
    changed.writeUInt8(LATER, 4);
    const answers = await answersTo(
      message({ operation: HELLO, secret: "another stack's secret" }),
      changed,
      good.subarray(0, SIZE - 1),
      Buffer.concat([good, Buffer.alloc(1)]),
      Buffer.alloc(0),
      randomBytes(1400),
    );
    expect(answers).toEqual([]);
  });

  it("answers no replies, no unknown requests, and no request for a delay or the other port without that port's cookie", async () => {
    const other = await udp();
    other.send(message({ operation: HELLO }));
    await expect.poll(() => other.replies.length).toBe(1);
    const cookie = other.replies[0]?.cookie as Buffer; // cookie of another port, which a spoofer could have
    const answers = await answersTo(
      message({ operation: HELLO | REPLY }),
      message({ operation: 9 }),
      message({ operation: LATER }),
      message({ operation: LATER, cookie }),
      message({ operation: FROM_OTHER, cookie }),
    );
    expect(answers).toEqual([]);
    other.send(message({ operation: LATER, cookie })); // valid from the port that it was made for
    await expect.poll(() => other.replies.length).toBe(2);
    other.socket.close();
  });
});

describe("over TCP", () => {
  const dial = () => connect(server.ports.nat, "127.0.0.1");

  it("answers the first message of its own stack, then echoes", async () => {
    const socket = dial().setNoDelay();
    const hello = message({ operation: HELLO });
    socket.write(hello.subarray(0, 20));
    socket.write(hello.subarray(20));
    expect((await once(socket, "data"))[0]).toHaveLength(SIZE);
    socket.write("?");
    expect(String((await once(socket, "data"))[0])).toBe("?");
    socket.destroy();
  });

  it("hangs up on a stranger without an answer", async () => {
    const socket = dial();
    let heard = 0;
    socket.on("data", (data) => (heard += data.length)).on("error", () => {});
    socket.write(message({ operation: HELLO, secret: "another stack's secret" }));
    await expect.poll(() => socket.closed).toBe(true);
    expect(heard).toBe(0);
  });

  it("drops the oldest of many silent connections, and serves its own stack meanwhile", async () => {
    const silent = Array.from({ length: 1030 }, () => dial().on("error", () => {}));
    let closed = 0;
    for (const socket of silent) socket.on("close", () => (closed += 1));
    await expect.poll(() => closed).toBeGreaterThan(0);
    expect(silent[0]?.closed).toBe(true);
    expect(silent.at(-1)?.closed).toBe(false);
    const own = dial();
    own.write(message({ operation: HELLO }));
    expect((await once(own, "data"))[0]).toHaveLength(SIZE);
    for (const socket of [...silent, own]) socket.destroy();
  });
});

it("waits no longer than requested, and waits for silent connections no longer than its limit", async () => {
  const [port, otherPort] = await Promise.all([freePort(), freePort()]);
  const options = [
    "--port",
    port,
    "--other-port",
    otherPort,
    "--hello-seconds",
    0.3,
    "--max-delay-seconds",
    0.1,
  ];
  const own = spawn("python3", [join(server.directory, "nat_responder.py"), ...options.map(String)]);
  onTestFinished(() => void own.kill("SIGKILL"));
  const { socket, replies, send } = await udp(port);
  const greeted = () => {
    send(message({ operation: HELLO }));
    return replies.length;
  };
  await expect.poll(greeted).toBeGreaterThan(0);
  const { cookie } = replies[0] as Reply;
  const [tooLong, allowed, later] = [randomBytes(8), randomBytes(8), randomBytes(8)];
  const heard = (nonce: Buffer) => replies.some((reply) => reply.nonce.equals(nonce));
  send(message({ operation: LATER, cookie, delayMs: 120, nonce: tooLong }));
  send(message({ operation: LATER, cookie, delayMs: 100, nonce: allowed }));
  await expect.poll(() => heard(allowed)).toBe(true);
  send(message({ operation: LATER, cookie, delayMs: 100, nonce: later }));
  await expect.poll(() => heard(later)).toBe(true);
  expect(heard(tooLong)).toBe(false);
  socket.close();
  const silent = connect(port, "127.0.0.1")
    .on("error", () => {})
    .resume();
  await expect.poll(() => silent.closed).toBe(true);
});
