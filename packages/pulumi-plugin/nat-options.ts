/** Options of any cloud's NAT instance, as flat texts and numbers. */
import * as pulumi from "@pulumi/pulumi";
import type * as aws from "egress-bench/aws";
import type { leftOutOfNat, Passed } from "./left-out";
import type { OptionalSshInputs } from "./ssh";

type NatOptions = NonNullable<aws.NatInstanceArgs["nat"]>;

/** Data plane. */
enum DataPlane {
  /** nftables masquerade; packets of known flows skip its rules. */
  Flowtable = "flowtable",
  /** The nftables masquerade. */
  Nftables = "nftables",
  /** The rule of fck-nat, for comparison. */
  Iptables = "iptables",
}

/** Source port of a translated flow. */
enum PortAllocation {
  /** Another one for each destination. */
  Random = "random",
  /** The client's own where it is free, for all destinations. */
  Preserve = "preserve",
}

/** Flat arguments of every machine that forwards: its private hosts, and its logins. */
export interface ForwardingInputs extends OptionalSshInputs {
  /** CIDR blocks of the subnets whose hosts may go out through it, such as 10.0.1.0/24. */
  privateCidrs: pulumi.Input<pulumi.Input<string>[]>;
}

/** Flat arguments of every cloud's NatInstance. */
export interface NatInputs extends ForwardingInputs {
  /** Data plane. Default: flowtable. */
  dataPlane?: DataPlane;
  /** Whether a machine that cannot have the data plane fails instead of running a simpler one. Default: false. */
  strict?: boolean;
  /** First source port that flows are translated to, with lastPort. Default: the kernel's choice. */
  firstPort?: number;
  /** Last source port that flows are translated to. Default: the kernel's choice. */
  lastPort?: number;
  /** Source port of a translated flow. Default: random. */
  portAllocation?: PortAllocation;
  /** Seconds of silence of an open TCP connection. Default: 7440. */
  tcpIdleSeconds?: number;
  /** Seconds of silence of a TCP connection that one side has closed. Default: 350. */
  tcpHalfClosedIdleSeconds?: number;
  /** Seconds of silence of a UDP flow of several datagrams. Default: 350. */
  udpIdleSeconds?: number;
  /** Seconds that a single datagram's flow waits for an answer. Default: 120. */
  udpUnansweredSeconds?: number;
  /** Directory of node_exporter's textfile collector, for metrics. Default: no metrics. */
  metricsDirectory?: string;
  /** URL of a mirror of Debian's or Ubuntu's packages, such as http://mirror.example.com/ubuntu. Default: the image's. */
  packageMirror?: string;
  /** URL of an HTTP proxy that packages are fetched through. Default: none. */
  packageProxy?: string;
  /** Time of unattended upgrades, such as 03:30 or Sun 03:30, in UTC. Default: the image's own: each morning. */
  upgradeAt?: string;
  /** With upgradeAt, whether the machine reboots where an upgrade asks for it. Default: false. */
  upgradeReboot?: boolean;
}

/** The options in the library's form. @throws {pulumi.InputPropertyError} when half of a pair of options is missing. */
export function natOptions(args: NatInputs): NatOptions {
  const { strict, firstPort: first, lastPort: last, metricsDirectory, packageMirror, packageProxy } = args;
  const { upgradeAt: at, upgradeReboot: reboot } = args;
  if ((first === undefined) !== (last === undefined)) {
    throw missing(first === undefined ? "firstPort" : "lastPort", "give both ends of the range, or none");
  }
  if (at === undefined && reboot !== undefined) {
    throw missing("upgradeAt", "say when upgrades run, or leave upgradeReboot out");
  }
  const passed: Passed<NatOptions, typeof leftOutOfNat> = {
    ...{ strict, metricsDirectory, packageMirror, packageProxy },
    dataPlane: args.dataPlane as `${DataPlane}` | undefined,
    portAllocation: args.portAllocation as `${PortAllocation}` | undefined,
    idleTimeouts: idleTimeouts(args),
    portRange: first === undefined || last === undefined ? undefined : { first, last },
    upgradeWindow: at === undefined ? undefined : { at, reboot },
  };
  return passed;
}

/** Idle time-outs; undefined if none is set, since one data plane has none. */
function idleTimeouts(args: NatInputs): NatOptions["idleTimeouts"] {
  const given = {
    tcp: args.tcpIdleSeconds,
    tcpHalfClosed: args.tcpHalfClosedIdleSeconds,
    udp: args.udpIdleSeconds,
    udpUnanswered: args.udpUnansweredSeconds,
  };
  return Object.values(given).some((one) => one !== undefined) ? given : undefined;
}

function missing(propertyPath: string, fix: string): pulumi.InputPropertyError {
  return new pulumi.InputPropertyError({ propertyPath, reason: `is missing; ${fix}` });
}
