/** Shared parts of all clouds' NAT instances: the blocks they forward, and the set-up script. */
import { createHmac } from "node:crypto";
import * as pulumi from "@pulumi/pulumi";
import { AGENT_PORT } from "../../bench/index.ts";
import { checked, invalid, named, orderedSet } from "../shared/arguments.ts";
import { cidrContains, cidrsOverlap, isBlock, isEverybody, parseCidr } from "../shared/cidr.ts";
import { type CloudConfigArgs, rolePackages } from "../shared/cloud-init.ts";
import { type SshArgs, warnOfEverybody } from "../shared/host-login.ts";
import { assignments, textOf } from "../shared/shell.ts";
import { SshKeyPair } from "../shared/ssh-key-pair.ts";
import {
  anHourLater,
  dataPlanePackages,
  EVERYWHERE,
  HA_PROGRAM,
  type Inbound,
  NAT64_PACKAGES,
  type NatOptions,
  type NatSetupArgs,
  namedLogins,
  natSetup,
  OPEN_NAT,
} from "./index.ts";

/**
 * The blocks of private hosts in one order, checked as soon as they are known.
 * @throws {pulumi.InputPropertyError} when they are empty or the whole internet.
 */
export function privateBlocks(cidrs: pulumi.Input<pulumi.Input<string>[]>): pulumi.Input<string[]> {
  return orderedSet(checked(cidrs as pulumi.Input<string[]>, assertPrivateCidrs));
}

function assertPrivateCidrs(cidrs: readonly string[]): void {
  if (cidrs.length === 0) {
    throw invalid(
      "privateCidrs",
      "is empty, so no client could go out; name the clients' subnets, such as 10.0.1.0/24",
    );
  }
  // An output inside a plain list is checked by the instance's own set-up.
  const known = cidrs.filter((cidr) => typeof cidr === "string");
  cidrs.forEach((cidr, index) => {
    if (typeof cidr === "string") named(`privateCidrs[${index}]`, () => parseCidr(cidr));
  });
  if (isEverybody(known)) {
    throw invalid("privateCidrs", `${known.join(", ")} ${OPEN_NAT}`);
  }
}

/**
 * What a NAT machine takes in. Its cloud's group and its own firewall both open for just this.
 *
 * `ports` are the machine's own (`inbound`) and those that lead to private hosts (`to`).
 */
export interface TakenIn {
  /** Blocks of the clients, whose packets to anywhere it forwards. */
  readonly clients: pulumi.Input<string[]>;
  readonly ipv6Clients: readonly string[] | undefined;
  /** Blocks that may log in. */
  readonly logins: SshArgs["allowedCidrs"] | undefined;
  readonly ports: readonly {
    readonly protocol: "tcp" | "udp";
    readonly port: number;
    readonly cidrs: readonly string[];
    /** The private host that a forwarded port leads to. */
    readonly to?: { readonly host: string; readonly port: number };
  }[];
}

/** What a NAT machine with these arguments takes in. @throws {pulumi.InputPropertyError} for unusable blocks of clients. */
export function takenIn(args: {
  readonly privateCidrs: pulumi.Input<pulumi.Input<string>[]>;
  readonly ssh?: SshArgs | undefined;
  readonly nat?: Pick<NatOptions, "inbound" | "forward" | "privateIpv6Cidrs"> | undefined;
}): TakenIn {
  const { inbound = [], forward = [], privateIpv6Cidrs } = args.nat ?? {};
  const { privateCidrs } = args;
  const known = Array.isArray(privateCidrs) ? privateCidrs.filter((one) => typeof one === "string") : [];
  // Everything from clients comes in.
  const fromOthers = (cidr: string) => !known.some((block) => isBlock(block) && cidrContains(block, cidr));
  return {
    clients: privateBlocks(args.privateCidrs),
    ipv6Clients: privateIpv6Cidrs,
    logins: args.ssh?.allowedCidrs,
    ports: [
      ...inbound
        .map((one) => ({ ...one, cidrs: one.cidrs.filter(fromOthers) }))
        .filter(({ cidrs }) => cidrs.length > 0),
      ...forward.map(({ protocol = "tcp" as const, port, from, to }) => {
        const [host = "", other = port] = to.split(":");
        return { protocol, port, cidrs: from, to: { host, port: Number(other) } };
      }),
    ].sort((one, other) => (JSON.stringify(one) < JSON.stringify(other) ? -1 : 1)),
  };
}

/** Options of a NAT instance that a benchmark observes: hosts of these blocks may ask its agent too. */
export function observedBy<T extends Pick<NatSetupArgs, "inbound">>(
  cidrs: readonly string[],
  options: T | undefined,
): T & { readonly inbound: readonly Inbound[] } {
  const agent: Inbound = { protocol: "tcp", port: AGENT_PORT, cidrs };
  return { ...(options as T), inbound: [...(options?.inbound ?? []), agent] };
}

/**
 * Blocks that a NAT instance accepts logins from. Its security group names the operator's blocks, which change without
 * another set-up; the machine refuses private hosts, unless the operator's blocks contain some of them.
 */
export function loginBlocks(
  ssh: SshArgs | undefined,
  privateCidrs: pulumi.Input<pulumi.Input<string>[]>,
): pulumi.Output<string[]> {
  if (ssh === undefined) {
    return pulumi.output([]);
  }
  return pulumi.output({ allowed: ssh.allowedCidrs, blocks: privateCidrs }).apply(({ allowed, blocks }) => [
    EVERYWHERE,
    ...namedLogins(
      allowed.filter((one) => one !== EVERYWHERE && isBlock(one)),
      blocks,
    ).filter((one) => blocks.some((block) => cidrsOverlap(one, block))),
  ]);
}

/** Options of a pair's machine: the second one upgrades an hour after the first one. */
export function natOptionsOf(options: NatOptions | undefined, at: 0 | 1): NatOptions {
  const window = options?.upgradeWindow;
  return at === 0 || window === undefined
    ? { ...options }
    : { ...options, upgradeWindow: anHourLater(window) };
}

/**
 * The set-up of a NAT instance. Throws at once for invalid options.
 * @param privateAddresses Private addresses, each with a public one of its own.
 * @param publicIpCount Number of addresses; several are used in turn, a single one needs no choice.
 * @param ssh Login key and blocks; undefined: no logins.
 */
export function natSetUpArgs(
  options: (NatOptions & Pick<NatSetupArgs, "publisher" | "heartbeat">) | undefined,
  privateCidrs: pulumi.Input<pulumi.Input<string>[]>,
  privateAddresses: pulumi.Output<string[]>,
  publicIpCount: number,
  ssh: SshArgs | undefined,
): pulumi.Output<NatSetupArgs> {
  assertOptions(options, privateCidrs, publicIpCount);
  const sshCidrs = loginBlocks(ssh, privateCidrs);
  const several = publicIpCount > 1 ? { sourceAddresses: privateAddresses } : {};
  return pulumi.output({ privateCidrs, sshCidrs, ...several }).apply((known) => ({ ...options, ...known }));
}

/**
 * Checks the options before any address is known: a later refusal would come from deep within the machine's inputs.
 * @throws {pulumi.InputPropertyError}
 */
function assertOptions(
  options: NatOptions | undefined,
  privateCidrs: pulumi.Input<pulumi.Input<string>[]>,
  publicIpCount: number,
): void {
  if (options?.dataPlane === "iptables" && publicIpCount > 1) {
    throw invalid(
      "publicIpCount",
      `dataPlane iptables is one plain masquerade, like fck-nat, and uses one address of ${publicIpCount}; take dataPlane nftables or flowtable, or one address`,
    );
  }
  const isPlain = Array.isArray(privateCidrs) && privateCidrs.every((one) => typeof one === "string");
  // Forwarded ports lead to private hosts, which are known with the blocks.
  const known = isPlain
    ? { privateCidrs: privateCidrs as string[] }
    : { privateCidrs: ["192.0.2.0/24"], forward: undefined };
  named("nat", () => natSetup({ ...options, ...known }));
  warnOfLogins(options);
}

/** Warns where `inbound` opens SSH to the whole internet, which no login of `ssh` needs. */
function warnOfLogins(options: NatOptions | undefined): void {
  warnOfEverybody("nat.inbound", inboundLogins(options));
}

/** Blocks that `inbound` lets log in by SSH. */
export function inboundLogins(options: NatOptions | undefined): string[] {
  const logins = (options?.inbound ?? []).filter(({ protocol, port }) => protocol === "tcp" && port === 22);
  return logins.flatMap(({ cidrs }) => cidrs);
}

/** First-boot commands of a NAT instance: NAT first, where the image can, then packages, then NAT with them. */
export function natBoot(options: NatOptions | undefined): Pick<
  CloudConfigArgs,
  "earlyWith" | "kernelModule" | "packageSources"
> & {
  readonly packages: readonly string[];
} {
  const { dataPlane = "flowtable", nat64, packageMirror: mirror, packageProxy: proxy } = options ?? {};
  return {
    packageSources: { mirror, proxy },
    packages: [...rolePackages.nat, ...dataPlanePackages(dataPlane), ...(nat64 ? NAT64_PACKAGES : [])],
    earlyWith: "nft",
    kernelModule: dataPlane === "flowtable" ? "nft_flow_offload" : undefined,
  };
}

/**
 * Refuses options that a pair cannot have.
 * @param options Options of `nat` that the cloud's pairs cannot have, beside fck-nat's data plane.
 * @throws {pulumi.InputPropertyError} for the first that is given.
 */
export function assertPairable(
  nat: NatOptions | undefined,
  options: readonly ("portRange" | "nat64" | "privateIpv6Cidrs" | "forward")[],
): void {
  if (nat?.dataPlane === "iptables") {
    throw invalid("nat.dataPlane", "iptables does not go with highAvailability; take nftables or flowtable");
  }
  const given = options.find((option) => nat?.[option]);
  if (given !== undefined) {
    throw invalid(`nat.${given}`, "does not go with highAvailability; leave one of them out");
  }
  warnOfLogins(nat);
}

/** Length of the key: 132 bits in base64, since user data has little room. */
const CHARACTERS = 22;

/** The pair's key: random, secret, and the same until the pair is deleted. */
export function pairKey(name: string, parent: pulumi.Resource): pulumi.Output<string> {
  const { privateKey } = new SshKeyPair(`${name}-pair-key`, { parent });
  const key = (from: string) => createHmac("sha256", from).update("egress-bench pair").digest("base64url");
  return pulumi.secret(privateKey.apply((from) => key(from).slice(0, CHARACTERS)));
}

/** Seconds for a booted machine to hear the other one, and to copy its connections. */
const SECONDS = 300;

/** Waits until the machine carries its clients, or stands by with everything it needs for that. */
export const waitForPair =
  assignments({ pair_program: HA_PROGRAM, pair_seconds: SECONDS }) +
  textOf("./wait-for-pair.sh", import.meta.url);
