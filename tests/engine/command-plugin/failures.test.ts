/**
 * Failures of commands and connections, and their messages to the user, through the real engine. All resources are made in
 * one update that continues after errors.
 */

import { type ChildProcess, spawn } from "node:child_process";
import { once } from "node:events";
import { connect, createServer, type Server, type Socket } from "node:net";
import command from "@pulumi/command";
import type { CustomResourceOptions } from "@pulumi/pulumi";
import type { OutputMap, Stack } from "@pulumi/pulumi/automation/index.js";
import { afterAll, beforeAll, describe, expect, test } from "vitest";
import { type Observation, observe } from "../../helpers/engine-events.ts";
import { CLOSED_PORT } from "../../helpers/ports.ts";
import { createEngine, type Engine, isStandIn, isWordedAs121 } from "../../helpers/pulumi.ts";
import { makeSshKeyPair, type Sshd, startSshd } from "../../helpers/sshd.ts";

type RemoteArgs = Omit<command.remote.CommandArgs, "connection">;
type Connection = command.types.input.remote.ConnectionArgs;

const LONG_OUTPUT_BYTES = 300_000;
/** OpenSSH's server buffers 2 MiB of unread input; this is far more. */
const UNREAD_INPUT_BYTES = 8_000_000;
/** Ends when the server has read this much. With an earlier end, the server may swallow the rest. */
const READING_NOTHING = "until awk '/rchar/ { exit $2 < 2000000 }' /proc/$PPID/io; do :; done; echo out";

const stranger = makeSshKeyPair();
const locked = makeSshKeyPair("open sesame");

let engine: Engine;
let target: Sshd;
let proxy: Sshd;
let fullPort: FullPort;
/** Accepts connections and says nothing. */
let silent: Server;
let stack: Stack;
let up: Observation;
let outputs: OutputMap;

function portOf(server: Server): number {
  return (server.address() as { port: number }).port;
}

/** A starved machine takes longer for a handshake than the 15 s that one may take by default. */
const PATIENT_SECONDS = 120;

function connectionTo({ host, port, user, privateKey, hostKey }: Sshd) {
  const limits = { dialErrorLimit: 1, perDialTimeout: PATIENT_SECONDS };
  return { host, port, user, privateKey, hostKey, ...limits };
}

async function program() {
  const direct = connectionTo(target);
  const jump = connectionTo(proxy);
  const local = (name: string, args: command.local.CommandArgs) => new command.local.Command(name, args);
  const remote = (name: string, args: RemoteArgs, opts?: CustomResourceOptions) =>
    new command.remote.Command(name, { ...args, connection: direct }, opts);
  const connecting = (name: string, changes: Partial<Connection>, opts?: CustomResourceOptions) =>
    new command.remote.Command(name, { create: "echo hi", connection: { ...direct, ...changes } }, opts);

  local("local-exit", { create: 'echo out; echo "a \\"trouble\\"" >&2; exit 7' });
  local("local-signal", { create: "kill -TERM $$" });
  local("local-long", {
    create: `head -c ${LONG_OUTPUT_BYTES} /dev/zero | tr '\\0' x; exit 1`,
    logging: "none",
  });
  remote("remote-exit", { create: 'echo out; echo "a \\"trouble\\"" >&2; exit 7' });
  remote("remote-signal", { create: "kill -TERM $$" });
  remote("remote-latin1", { create: "printf 'caf\\351'", logging: "none" });
  remote("remote-unread", { create: READING_NOTHING, stdin: "x".repeat(UNREAD_INPUT_BYTES) });

  const unverified = connecting("unverified-host", { hostKey: undefined as never });
  connecting("other-host", { hostKey: stranger.publicKey });
  connecting("no-host-key", { hostKey: "none" });
  connecting("locked-key-closed", { privateKey: locked.privateKey });
  connecting("no-key", { privateKey: "none" });
  connecting("other-key", { privateKey: stranger.privateKey });
  connecting("closed-port", { port: CLOSED_PORT, dialErrorLimit: 2 });
  connecting("closed-port-once", { port: CLOSED_PORT, dialErrorLimit: 0 });
  connecting(
    "closed-port-timeout",
    { port: CLOSED_PORT, dialErrorLimit: -1 },
    { customTimeouts: { create: "3s" } },
  );
  connecting("full-port", { port: fullPort.port, perDialTimeout: 1 });
  // The real plugin would wait without end.
  if (isStandIn()) connecting("silent", { port: portOf(silent), perDialTimeout: 1 });

  const proxied = connecting("proxied", { proxy: jump });
  connecting("other-proxy", { proxy: { ...jump, hostKey: stranger.publicKey } });
  connecting("other-key-at-proxy", { proxy: { ...jump, privateKey: stranger.privateKey } });
  connecting("closed-proxy", { proxy: { ...jump, port: CLOSED_PORT } });
  connecting("closed-port-behind-proxy", { port: CLOSED_PORT, proxy: jump });
  connecting("other-host-behind-proxy", { hostKey: stranger.publicKey, proxy: jump });
  return { unverified: unverified.stdout, proxied: proxied.stdout };
}

beforeAll(async () => {
  target = await startSshd();
  proxy = await startSshd();
  fullPort = await openFullPort();
  silent = createServer(() => {}).listen(0, "127.0.0.1");
  await once(silent, "listening");
  engine = createEngine();
  stack = await engine.stack("failures", program);
  up = await observe((onEvent) => stack.up({ onEvent, continueOnError: true }));
  outputs = await stack.outputs();
});

afterAll(async () => {
  // No resource here leaves anything behind, so the stack is deleted with its engine.
  await Promise.all([target?.stop(), proxy?.stop(), fullPort?.close()]);
  silent?.close();
  engine?.dispose();
});

/** Messages of version 1.2.1; another version may fail with any message. */
const own121 = ["remote-latin1", "closed-port-behind-proxy"];
const wording = (resource: string, text: string) =>
  own121.includes(resource) && !isWordedAs121() ? "" : text;

const said = (resource: string) => up.messages(resource).join("\n");

describe("a failing command reports its text, status and output", () => {
  const commandText = 'running "echo out; echo \\"a \\\\\\"trouble\\\\\\"\\" >&2; exit 7":';
  test.each([
    ["local-exit", `exit status 7: ${commandText}`],
    ["local-signal", `signal: ${isStandIn() ? "SIGTERM" : "terminated"}: running "kill -TERM $$":`],
    ["remote-exit", `Process exited with status 7: ${commandText}`],
    ["remote-signal", 'Process exited with status 143 from signal TERM: running "kill -TERM $$":'],
    ["remote-unread", `EOF: running "${READING_NOTHING}":`],
    ["remote-latin1", "string field contains invalid UTF-8"],
  ])("%s", (resource, text) => {
    expect(up.failed).toBe(true);
    expect(said(resource)).toContain(wording(resource, text));
  });

  test.each(["local-exit", "remote-exit"])("%s: both streams", (resource) => {
    const error = up.messages(resource).at(-1);
    expect(error).toMatch(/^out$/m);
    expect(error).toMatch(/^a "trouble"$/m);
  });

  test("a long output is reported whole", () => {
    expect(said("local-long")).toContain("x".repeat(LONG_OUTPUT_BYTES));
  });
});

test("a host without a key to compare with is accepted", () => {
  expect(outputs.unverified?.value).toBe("hi");
});

test("a proxied command passes through the proxy", () => {
  expect(outputs.proxied?.value).toBe("hi");
  const accepted = proxy.log().match(/Accepted publickey/g) ?? [];
  expect(accepted).toHaveLength(3); // the proxied one, and the two whose target fails behind it
});

describe("a failed connection has its reason, after its allowed retries", () => {
  test.each<[resource: string, retries: string[], error: () => string]>([
    [
      "other-host",
      ["Dial 1/1"],
      () => "after 1 failed attempts: ssh: handshake failed: ssh: host key mismatch",
    ],
    ["no-host-key", [], () => "failed to parse host key: ssh: no key found"],
    ["locked-key-closed", [], () => "ssh: this private key is passphrase protected"],
    ["no-key", [], () => "ssh: no key found"],
    [
      "other-key",
      ["Dial 1/1"],
      () => "ssh: unable to authenticate, attempted methods [none publickey], no supported methods remain",
    ],
    ["closed-port", ["Dial 1/2", "Dial 2/2"], () => `after 2 failed attempts: ${refused()}`],
    ["closed-port-once", [], () => `after 0 failed attempts: ${refused()}`],
    ["full-port", ["Dial 1/1"], () => `dial tcp 127.0.0.1:${fullPort.port}: i/o timeout`],
    [
      "other-proxy",
      ["Dial proxy 1/1"],
      () => "proxy: after 1 failed attempts: ssh: handshake failed: ssh: host",
    ],
    ["other-key-at-proxy", ["Dial proxy 1/1"], () => "unable to authenticate"],
    ["closed-proxy", ["Dial proxy 1/1"], () => `proxy: after 1 failed attempts: ${refused()}`],
    ["closed-port-behind-proxy", ["Dial from proxy 1/1"], () => "connect failed (Connection refused)"],
    ["other-host-behind-proxy", ["Dial 1/1"], () => "proxy: after 1 failed attempts: ssh: handshake failed"],
  ])("%s", (resource, retries, error) => {
    const messages = up.messages(resource);
    expect(messages.filter((message) => message.startsWith("Dial"))).toEqual(
      retries.map((retry) => `${retry} failed: retrying`),
    );
    expect(messages.at(-1)).toContain(wording(resource, error()));
  });

  test("a custom time-out ends unlimited retries", () => {
    expect(up.messages("closed-port-timeout")).toContain("Dial 1/inf failed: retrying");
    expect(up.messages("closed-port-timeout").at(-1)).toContain("context deadline exceeded");
  });

  test.runIf(isStandIn())("a server that accepts and stays silent is abandoned", () => {
    expect(up.messages("silent")).toEqual([
      "Dial 1/1 failed: retrying",
      expect.stringContaining("ssh: handshake failed: Timed out while waiting for handshake"),
    ]);
  });

  const refused = () => `dial tcp 127.0.0.1:${CLOSED_PORT}: connect: connection refused`;
});

/** A port of 127.0.0.1 that neither accepts nor refuses connections. */
interface FullPort {
  readonly port: number;
  close(): Promise<void>;
}

// Never accepts; with a backlog of 0 the kernel drops everything after the first connection.
const LISTENER = `
import socket, sys
listener = socket.socket()
listener.bind(("127.0.0.1", 0))
listener.listen(0)
print(listener.getsockname()[1], flush=True)
sys.stdin.read()
`;

/** Opens a port and fills its queue, so that a further connection hangs as with an unreachable host. */
async function openFullPort(): Promise<FullPort> {
  const child: ChildProcess = spawn("python3", ["-c", LISTENER], { stdio: ["pipe", "pipe", "inherit"] });
  if (child.stdout === null) throw new Error("no output of python3 to read");
  const [line] = (await once(child.stdout, "data")) as [Buffer];
  const port = Number(line.toString());
  const fillers: Socket[] = [];
  const filled = connect(port, "127.0.0.1");
  fillers.push(filled);
  await once(filled, "connect");
  // Kernels differ in how many more fit; those that do not fit only wait.
  for (let extra = 0; extra < 2; extra++) fillers.push(connect(port, "127.0.0.1"));
  for (const filler of fillers) filler.on("error", () => {});
  return {
    port,
    async close() {
      for (const filler of fillers) filler.destroy();
      const exited = once(child, "exit");
      child.stdin?.end();
      await exited;
    },
  };
}
