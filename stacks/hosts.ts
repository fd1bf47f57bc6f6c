/** Existing hosts as a cloud, which makes and destroys none of them. */
import { execFileSync } from "node:child_process";
import { homedir } from "node:os";
import { join } from "node:path";
import * as pulumi from "@pulumi/pulumi";
import { formatBitRate } from "../bench/index.ts";
import { ExistingHost, type ExistingLogin } from "../components/existing/existing-host.ts";
import type { Deployment, EgressPath } from "../components/shared/egress.ts";
import { readNamedFile } from "../components/shared/files.ts";
import { clientName, serverName } from "../components/shared/host-names.ts";
import type { Cloud, DeployRequest } from "./cloud.ts";
import { ConfigError } from "./config.ts";
import {
  type ExistingOptions,
  existingOptions,
  type HostSettings,
  loginConflict,
  type ServerSettings,
  type Settings,
  settingsSchema,
} from "./hosts/settings.ts";
import type { TopologyEntry } from "./inventory.ts";

type Request = DeployRequest<Settings>;
type HostRole = "client" | "server" | "nat";

function deploy(request: Request): Deployment {
  if (request.pairs > 1) {
    throw new ConfigError(
      `egress-bench:pairs: got ${request.pairs}; hosts that exist are measured one client and one server at a time`,
    );
  }
  const conflict = loginConflict(
    request.topologies.map(({ options }) => options as unknown as ExistingOptions),
  );
  if (conflict !== null) {
    throw new ConfigError(conflict);
  }
  const hosts = new Hosts(request);
  const paths = request.topologies.map((entry) => existingPath(entry, hosts));
  return { server: (paths[0] as OwnPath).server, paths, notes: [loadNote(request.settings)] };
}

type OwnPath = EgressPath & { readonly server: ExistingHost };

function existingPath({ name, topology, options }: TopologyEntry, hosts: Hosts): OwnPath {
  const { client, server, nat, expectedSourceIps, price } = options as unknown as ExistingOptions;
  const serverHost = hosts.host(serverName(undefined, hosts.servers + 1), "server", server);
  return {
    ...{ name, topology },
    client: hosts.host(clientName(name, 1), "client", client),
    server: serverHost,
    serverAddress: serverHost.dataAddress,
    clientAddress: client.dataAddress,
    expectedSourceIps: expectedSourceIps === "report" ? [] : expectedSourceIps,
    observed: nat === undefined ? [] : [hosts.host(`${name}-nat`, "nat", nat)],
    ready: [],
    ownPrice: price,
  };
}

/** The hosts of a stack, each once, even if several topologies use it. */
class Hosts {
  readonly #request: Request;
  readonly #owner: pulumi.Output<string>;
  readonly #made = new Map<string, ExistingHost>();

  constructor(request: Request) {
    this.#request = request;
    this.#owner = pulumi.interpolate`${request.stack} ${request.operatorKey.publicKey}`;
  }

  get servers(): number {
    return [...this.#made.values()].filter(({ role }) => role === "server").length;
  }

  /** A host. @throws {ConfigError} for a host that has another role already. */
  host(name: string, role: HostRole, settings: HostSettings | ServerSettings): ExistingHost {
    const { address, port, user } = settings;
    const key = `${user}@${address}:${port}`;
    const made = this.#made.get(key);
    if (made !== undefined) {
      if (made.role !== role) {
        throw new ConfigError(
          `topologies: ${key} is ${made.role} and ${role}; a host has one role in a stack`,
        );
      }
      return made;
    }
    const host = new ExistingHost(name, {
      ...loginOf(settings),
      role,
      dataAddress: settings.dataAddress,
      jump: settings.jump === undefined ? undefined : loginOf(settings.jump),
      owner: this.#owner,
      mayInstall: this.#request.settings.mayInstall,
      busyBitsPerSecond: busyLimit(settings, this.#request.settings),
    });
    this.#made.set(key, host);
    return host;
  }
}

/** A tenth of the load, so that a load test is most of the server's traffic. */
function busyLimit(host: HostSettings | ServerSettings, { maxBitsPerSecond }: Settings): number | undefined {
  const isFree = "mayDisturb" in host && host.mayDisturb;
  return isFree || maxBitsPerSecond === 0 ? undefined : maxBitsPerSecond / 10;
}

/** Login of a host. @throws {ConfigError} for an unknown host key, and for an unreadable key file. */
function loginOf({
  address,
  port,
  user,
  keyFile,
  hostKey,
}: NonNullable<HostSettings["jump"]>): ExistingLogin {
  const known = hostKey ?? knownHostKey(address, port);
  if (known === undefined) {
    throw new ConfigError(
      `topologies: the key of ${address} is not known: log in once with \`ssh -p ${port} ${user}@${address}\` and compare what it shows, or give hostKey, as \`ssh-keyscan -p ${port} ${address}\` prints it`,
    );
  }
  const privateKey = keyFile === undefined ? {} : { privateKey: readKey(keyFile) };
  return { address, port, user, hostKey: known, ...privateKey };
}

function readKey(file: string): pulumi.Output<string> {
  try {
    return pulumi.secret(readNamedFile(file.replace(/^~(?=\/)/, homedir())));
  } catch (error) {
    throw new ConfigError(`topologies: keyFile: ${file} cannot be read: ${(error as Error).message}`);
  }
}

function loadNote({ maxBitsPerSecond }: Settings): string {
  const load =
    maxBitsPerSecond === 0
      ? "nothing bounds the load (maxBitsPerSecond: unlimited)"
      : `no case sends more than ${formatBitRate(maxBitsPerSecond)} (maxBitsPerSecond)`;
  return `The hosts existed before this stack: ${load}, and what else they carried during a case is in its figures.`;
}

export const hosts: Cloud<Settings> = {
  topologies: { existing: existingOptions },
  settings: settingsSchema,
  deploy,
};

/** The command plugin asks a host for the first of these that it has, and accepts no other. */
const PREFERRED = [/^ecdsa-/, /^ssh-rsa/, /^ssh-ed25519/];

/** A host's public key from `~/.ssh/known_hosts`, including hashed names; undefined if it has none. */
export function knownHostKey(address: string, port: number): string | undefined {
  const keys = linesOf(port === 22 ? address : `[${address}]:${port}`).flatMap((line) => {
    const [first = "", ...rest] = line.split(" ");
    // A marker means that the key is an authority's, or revoked.
    return line.startsWith("#") || first.startsWith("@") || rest.length < 2
      ? []
      : [rest.slice(0, 2).join(" ")];
  });
  return PREFERRED.map((kind) => keys.find((key) => kind.test(key))).find((key) => key !== undefined);
}

function linesOf(name: string): string[] {
  try {
    return execFileSync("ssh-keygen", ["-F", name, "-f", join(homedir(), ".ssh", "known_hosts")], {
      encoding: "utf8",
      stdio: ["ignore", "pipe", "ignore"],
    }).split("\n");
  } catch {
    return []; // not found, no such file, or no OpenSSH here
  }
}
