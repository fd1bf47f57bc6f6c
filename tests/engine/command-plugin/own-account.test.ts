/**
 * Callers of the stand-in during an update: every local account can connect to its port on 127.0.0.1. The real plugin
 * serves all of them, as docs/security.md says.
 */
import { type ChildProcess, spawn } from "node:child_process";
import { once } from "node:events";
import { createServer } from "node:net";
import { fileURLToPath } from "node:url";
import * as grpc from "@grpc/grpc-js";
import providerGrpc from "@pulumi/pulumi/proto/provider_grpc_pb.js";
import emptyProto from "google-protobuf/google/protobuf/empty_pb.js";
import { expect, onTestFinished, test, vi } from "vitest";

const NOBODY = 65_534;
const program = fileURLToPath(new URL("../../../tools/command-standin/main.ts", import.meta.url));

function started(command: string, args: readonly string[], account?: number): ChildProcess {
  const as = account === undefined ? {} : { uid: account, gid: account };
  const child = spawn(command, args, { ...as, stdio: ["ignore", "pipe", "inherit"] });
  onTestFinished(() => void child.kill("SIGKILL"));
  return child;
}

async function startPlugin(): Promise<number> {
  const { stdout } = started(process.execPath, [program]);
  const [line] = (await once(stdout as NonNullable<typeof stdout>, "data")) as [Buffer];
  return Number(line.toString());
}

async function freePort(): Promise<number> {
  const server = createServer().listen(0, "127.0.0.1");
  await once(server, "listening");
  const { port } = server.address() as { port: number };
  server.close();
  await once(server, "close");
  return port;
}

/** A port that another account relays to `target`. */
async function relayOf(account: number, target: number): Promise<number> {
  const port = await freePort();
  const listen = `TCP-LISTEN:${port},bind=127.0.0.1,reuseaddr,fork`;
  started("socat", [listen, `TCP:127.0.0.1:${target}`], account);
  return port;
}

/** The plugin's version, from its answer on a port. */
function askVersion(port: number): Promise<string> {
  const client = new providerGrpc.ResourceProviderClient(
    `127.0.0.1:${port}`,
    grpc.credentials.createInsecure(),
  );
  onTestFinished(() => client.close());
  return new Promise((resolve, reject) => {
    client.getPluginInfo(new emptyProto.Empty(), (error: grpc.ServiceError | null, info) => {
      error === null ? resolve(info.getVersion()) : reject(error);
    });
  });
}

test("the account that runs the update is served", async () => {
  expect(await askVersion(await startPlugin())).toBe("1.2.1");
});

test.runIf(process.getuid?.() === 0)("another account is refused", async () => {
  const plugin = await startPlugin();
  const relay = await relayOf(NOBODY, plugin);
  const refused = vi.waitUntil(
    () => askVersion(relay).then(String, (error) => (error.code === grpc.status.UNAVAILABLE ? "" : error)),
    10_000,
  );
  await expect(refused).resolves.toMatchObject({
    code: grpc.status.PERMISSION_DENIED,
    details: `expected a call of this plugin's own account, got one of user ${NOBODY}`,
  });
});
