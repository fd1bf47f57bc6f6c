import { readFileSync } from "node:fs";
import type { remote, types } from "@pulumi/command";
import * as pulumi from "@pulumi/pulumi";
import { z } from "zod";
import { commandLine, plainText, testPorts, toolPackages } from "../../bench/index.ts";
import { type Role, roleSchema } from "../../bench/results/index.ts";
import { type ArgsOf, checkArgs, input, optionalFlag, text } from "../shared/args-schema.ts";
import type { Host } from "../shared/host.ts";
import { type HostLoginArgs, hostLogin } from "../shared/host-login.ts";
import { hostCommand } from "../shared/host-ready.ts";
import { undoScript } from "../tuning/index.ts";

/** Attempts to log in: the machine is running already, so a few seconds of them suffice. */
const DIAL_ERROR_LIMIT = 8;

const LOOK_SECONDS = 60;
const CLAIM_SECONDS = 900;
const LEAVE_SECONDS = 300;

const loginShape = {
  /** Name or address at which its SSH server answers. */
  address: text,
  /** Port of the SSH server. @default 22 */
  port: input(z.number()).optional(),
  /** Account to log in with. */
  user: text,
  /** The machine's own public key, `ssh-ed25519 AAAA...`: another one is refused. */
  hostKey: text,
  /** Private key in OpenSSH format. @default the keys of the SSH agent */
  privateKey: text.optional(),
};

/** How a machine is logged in to over SSH. */
export interface ExistingLogin extends ArgsOf<typeof loginShape> {}

const existingHostSchema = z.strictObject({
  ...loginShape,
  role: roleSchema,
  /** Address by which the other hosts of the benchmark reach it. @default `address` */
  dataAddress: text.optional(),
  /** Jump host, for SSH only. @default none */
  jump: z.strictObject(loginShape).optional(),
  /**
   * Name of the stack's claim: unique, without spaces up to the first one, such as `mine 4f1c...`. Another stack's claim on
   * the machine is refused.
   */
  owner: text,
  /** Whether missing tools may be installed by apt; they are removed with the resource. @default false */
  mayInstall: optionalFlag,
  /** Bits per second of other traffic that a server may carry when inspected. @default any */
  busyBitsPerSecond: z.number().optional(),
});

/** A machine, its role, and what the benchmark may do to it. */
export interface ExistingHostArgs extends Readonly<z.infer<typeof existingHostSchema>> {}

/**
 * A machine that egress-bench does not own: it is never made, changed or destroyed. A benchmark puts the host agent into
 * its user's home directory (`~/.egress-bench`), runs it, and, where permitted, adds a unit that starts it at boot. All of
 * that, and packages that it was allowed to install, is removed with this resource.
 *
 * Cost: none; the machine's owner pays for it and for its traffic.
 *
 * @example
 * ```ts
 * import { ExistingHost } from "egress-bench";
 *
 * const server = new ExistingHost("server", {
 *   role: "server",
 *   address: "192.0.2.10",
 *   user: "bench",
 *   hostKey: "ssh-ed25519 AAAAC3NzaC1lZDI1NTE5AAAAIJp1nQ0DgRS0uhkxWzRaS1hcTfFVbgwgvOdDGDH0YnCk",
 *   owner: "mine 1",
 * });
 * export const dataAddress = server.dataAddress;
 * ```
 */
export class ExistingHost extends pulumi.ComponentResource implements Host {
  readonly name: string;
  readonly role: Role;
  readonly connection: pulumi.Output<types.input.remote.ConnectionArgs>;
  readonly dataAddress: pulumi.Output<string>;
  readonly ready: readonly pulumi.Resource[];
  readonly identity: pulumi.Output<string>;
  readonly machine: pulumi.Resource;
  readonly isExisting = true;

  constructor(name: string, args: ExistingHostArgs, opts?: pulumi.ComponentResourceOptions) {
    super("egress-bench:index:ExistingHost", name, {}, opts);
    checkArgs("ExistingHost", existingHostSchema, args);
    this.name = name;
    this.role = args.role;
    this.dataAddress = pulumi.output(args.dataAddress ?? args.address);
    const { user, address, port = 22, jump } = args;
    this.identity = pulumi.interpolate`${user}@${address}:${port}`;
    this.connection = login(args, jump && { connection: login(jump) });
    // The visit changes nothing on the machine and is recorded before anything else, so that a crash leaves nothing behind.
    const visit = this.#visit(`${name}-visit`, "look", args, LOOK_SECONDS);
    const claim = this.#visit(`${name}-claim`, "claim", args, CLAIM_SECONDS, visit);
    this.machine = visit;
    this.ready = [claim];
    this.registerOutputs({ dataAddress: this.dataAddress });
  }

  #visit(
    name: string,
    verb: "look" | "claim",
    { role, owner, mayInstall = false, busyBitsPerSecond }: ExistingHostArgs,
    seconds: number,
    after?: remote.Command,
  ): remote.Command {
    const options = pulumi.jsonStringify({
      ...{ owner, role, mayInstall, busyBitsPerSecond: busyBitsPerSecond ?? null },
      packages: toolPackages,
      ports: { tcp: testPorts.tcp.map(ends), udp: testPorts.udp.map(ends) },
    });
    const run = (what: string, most: number) =>
      options.apply(
        (text) => `${NEEDS_PYTHON}\n${commandLine(["timeout", "-k", 5, most, "python3", "-", what, text])}`,
      );
    const leave = run("leave", LEAVE_SECONDS).apply((text) => `(\n${undoScript}\n) </dev/null\n${text}`);
    return hostCommand(
      name,
      {
        connection: this.connection,
        create: pulumi
          .all([run(verb, seconds), this.identity, after?.stdout])
          .apply(([script, login, said]) => {
            assertQuiet(login, said);
            return verb === "look" ? forAnyShell(script) : script;
          }),
        ...(verb === "look" ? { delete: leave } : {}),
        stdin: program,
        triggers: [this.identity],
      },
      seconds + 60,
      {
        parent: this,
        ...(after === undefined ? {} : { dependsOn: [after], deletedWith: after }),
        // Deleted first: where a machine's address changes, the old resource must have left the machine.
        deleteBeforeReplace: true,
        customTimeouts: { delete: `${LEAVE_SECONDS + 60}s` },
      },
    );
  }
}

const program = readFileSync(new URL("./visit.py", import.meta.url), "utf8");

/**
 * Refuses a login whose shell prints something before a command does. @param said Output of the inspection. @throws
 * {pulumi.RunError}
 */
function assertQuiet(login: string, said = "{"): void {
  if (!said.startsWith("{")) {
    const [first = ""] = plainText(said).split("\n");
    throw new pulumi.RunError(
      `${login}: expected nothing from its shell but what a command prints; got "${first.slice(0, 80)}" before it, which breaks the copying of files too: in the shell's files, such as ~/.bashrc, print only where [ -t 1 ]`,
    );
  }
}

/** A script in one line that any login shell passes on, csh and fish too: the inspection says which are refused. */
function forAnyShell(script: string): string {
  return commandLine(["sh", "-c", script.replaceAll("\n", "; ")]);
}

const NEEDS_PYTHON =
  'command -v python3 >/dev/null || { echo "egress-bench: this host has no python3; the host agent needs 3.8 or later" >&2; exit 1; }';

function ends({ first, last }: { readonly first: number; readonly last: number }) {
  return [first, last];
}

function login(
  { address, port = 22, user, hostKey, privateKey }: ExistingLogin,
  jump?: HostLoginArgs["jump"],
): ExistingHost["connection"] {
  const own = { host: address, port, user, hostKey, ...(privateKey === undefined ? {} : { privateKey }) };
  return hostLogin({ ...own, jump, dialErrorLimit: DIAL_ERROR_LIMIT });
}
