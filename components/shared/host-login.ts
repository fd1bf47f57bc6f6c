import type { types } from "@pulumi/command";
import * as pulumi from "@pulumi/pulumi";
import { z } from "zod";
import { text, texts } from "./args-schema.ts";
import { checked, invalid, orderedSet } from "./arguments.ts";
import { isBlock, isEverybody } from "./cidr.ts";
import { SshKeyPair } from "./ssh-key-pair.ts";

/** Attempts to connect, refused ones and time-outs. */
const DIAL_ERROR_LIMIT = 60;

/** Seconds that one attempt to connect may take. */
const PER_DIAL_TIMEOUT_SECONDS = 15;

type Connection = types.input.remote.ConnectionArgs;

/** The operator's login key, and the addresses it may come from. */
export interface SshArgs {
  /** The operator's key: `new SshKeyPair(...)` or an existing one. */
  readonly key: { readonly publicKey: pulumi.Input<string>; readonly privateKey: pulumi.Input<string> };
  /** CIDR blocks that may reach SSH, such as `203.0.113.7/32`. */
  readonly allowedCidrs: pulumi.Input<pulumi.Input<string>[]>;
}

export const keyPairSchema: z.ZodType<SshArgs["key"]> = z.object(
  { publicKey: text, privateKey: text },
  "must be a key pair, such as new SshKeyPair(...)",
);

export const sshArgsSchema: z.ZodType<SshArgs> = z.strictObject(
  { key: keyPairSchema, allowedCidrs: texts },
  "must be { key, allowedCidrs }",
);

/**
 * CIDR blocks of one rule for SSH; undefined if there are none, so that no rule is needed.
 * @throws {pulumi.InputPropertyError} also by the output: where an output turns out to be an empty list, since the number
 * of rules must be known before.
 */
export function ruleCidrs(
  allowedCidrs: SshArgs["allowedCidrs"],
): pulumi.Input<pulumi.Input<string>[]> | undefined {
  if (Array.isArray(allowedCidrs)) {
    pulumi.output(allowedCidrs).apply((known) => warnOfEverybody("ssh.allowedCidrs", known));
    return allowedCidrs.length === 0 ? undefined : orderedSet(allowedCidrs);
  }
  const blocks = checked(allowedCidrs as pulumi.Input<string[]>, (known) => {
    if (known.length === 0) {
      throw invalid("ssh.allowedCidrs", "became an empty list; for no login, give a plain []");
    }
    warnOfEverybody("ssh.allowedCidrs", known);
  });
  return orderedSet(blocks);
}

/** Lines already written: each host of a program may have the same blocks. */
const warnedOf = new Set<string>();

/** Azure's words for every address, and the block of every IPv6 address. */
const EVERYBODY = ["*", "internet", "any", "::/0"];

/** Warns where the argument's sources for port 22 are the whole internet. Other sources may be Azure's tags. */
export function warnOfEverybody(argument: string, sources: readonly string[]): void {
  const blocks = sources.filter(isBlock);
  const words = sources.filter((one) => EVERYBODY.includes(one.toLowerCase()));
  const named = [...words, ...(isEverybody(blocks) ? blocks : [])].join(", ");
  const line = `${argument}: ${named} opens SSH to the whole internet; name your own address`;
  if (named !== "" && !warnedOf.has(line)) {
    warnedOf.add(line);
    void pulumi.log.warn(line);
  }
}

/** Arguments of a login over SSH, optionally through a jump host. */
export interface HostLoginArgs {
  /** Name or address at which the SSH server answers. */
  readonly host: pulumi.Input<string>;
  /** Port of the SSH server. @default 22 */
  readonly port?: pulumi.Input<number> | undefined;
  /** Account to log in with. */
  readonly user: pulumi.Input<string>;
  /** Private key in OpenSSH format. @default the keys of the SSH agent */
  readonly privateKey?: pulumi.Input<string> | undefined;
  /** The host's own public key; another one is refused. @default any key is accepted */
  readonly hostKey?: pulumi.Input<string | undefined> | undefined;
  /** Jump host. @default none */
  readonly jump?: { readonly connection: pulumi.Input<Connection> } | undefined;
  /** Attempts to connect, at most 5 s apart. @default 60, about five minutes */
  readonly dialErrorLimit?: number | undefined;
}

/** Private key for a `connection`, in the short format where the program made the pair. */
export function connectionKey(key: SshArgs["key"]): pulumi.Input<string> {
  return key instanceof SshKeyPair ? key.loginKey : key.privateKey;
}

/**
 * A login for the `connection` of a `Host`, secret because it holds the private key. It waits for a machine that is still
 * starting.
 */
export function hostLogin({
  jump,
  dialErrorLimit = DIAL_ERROR_LIMIT,
  ...login
}: HostLoginArgs): pulumi.Output<Connection> {
  const proxy = jump === undefined ? {} : { proxy: jump.connection };
  const connection = { ...login, dialErrorLimit, perDialTimeout: PER_DIAL_TIMEOUT_SECONDS, ...proxy };
  return pulumi.secret(connection as Connection);
}
