/**
 * The shell script that makes a NAT instance of a Linux machine: a cloud's machine gets it as user data, a host of the
 * local lab as the same text. Its shell is in `set-up/`.
 */
import type { DataPlane } from "../../bench/results/hosts.ts";
import { inOrder } from "../shared/arguments.ts";
import { printing, program } from "../shared/shell.ts";
import { checkNatSetupArgs, type NatSetupArgs } from "./args.ts";
import { DATA_PLANE_FILE, DEFAULT_DATA_PLANE, dataPlanePart } from "./data-plane.ts";
import { DRIFTS_FILE, driftPart } from "./drift.ts";
import { checkPart } from "./forwarding-check.ts";
import { pairPart } from "./high-availability.ts";
import { idleSeconds } from "./idle-timeouts.ts";
import { nat64Part, upgradeWindowPart } from "./operators/index.ts";
import { HA_PROGRAM } from "./pair-configuration.ts";
import { type Part, setUpText } from "./part.ts";
import { sysctlPart } from "./sysctls.ts";

/** The systemd unit that sets NAT up again at each boot. */
export const NAT_UNIT = "egress-bench-nat-instance.service";

/** File of a host's notes for the results, one per line. */
export const NOTES_FILE = "/run/egress-bench-notes";

/**
 * A POSIX shell script that sets up NAT: nftables ruleset, kernel settings, interfaces, a systemd unit that runs it again
 * at each boot, and a timer that runs it where something else has changed rules or kernel settings. Idempotent. It finds
 * the interfaces itself: the outside one by the default route, those of the flowtable by the routes to the private blocks.
 *
 * A missing optional feature adds a line to {@link NOTES_FILE}; a missing requirement ends the script with status 1 and one
 * line on stderr that names it.
 *
 * @example
 * natSetup({ privateCidrs: ["10.0.1.0/24"] })
 * @throws {Error} naming each bad argument, its value and what is allowed.
 */
export function natSetup(args: NatSetupArgs): string {
  checkNatSetupArgs(args);
  const parts = partsOf(withOrderedSets(args));
  const settings = Object.assign({}, ...parts.map((part) => part.settings), {
    steps: parts.flatMap(({ steps = [] }) => steps),
  });
  return program("Makes this machine a NAT instance; may be run again at any time.", settings, [
    ...parts.flatMap(({ texts }) => texts),
    setUpText("main.sh"),
  ]);
}

/** Blocks, openings and route tables in one order, so that a list in another order makes the same script. */
function withOrderedSets(args: NatSetupArgs): NatSetupArgs {
  const { privateCidrs, sshCidrs, privateIpv6Cidrs, inbound, forward, highAvailability: pair } = args;
  const inTextOrder = (one: object, other: object) => (JSON.stringify(one) < JSON.stringify(other) ? -1 : 1);
  return {
    ...args,
    privateCidrs: inOrder(privateCidrs),
    sshCidrs: sshCidrs && inOrder(sshCidrs),
    privateIpv6Cidrs: privateIpv6Cidrs && inOrder(privateIpv6Cidrs),
    inbound: inbound?.map((one) => ({ ...one, cidrs: inOrder(one.cidrs) })).sort(inTextOrder),
    forward: forward?.map((one) => ({ ...one, from: inOrder(one.from) })).sort(inTextOrder),
    highAvailability:
      pair?.move.kind === "ec2"
        ? { ...pair, move: { ...pair.move, routeTableIds: inOrder(pair.move.routeTableIds) } }
        : pair,
  };
}

function partsOf(args: NatSetupArgs): Part[] {
  const {
    dataPlane = DEFAULT_DATA_PLANE,
    highAvailability,
    upgradeWindow,
    heartbeat,
    sourceAddresses,
  } = args;
  return [
    basePart(args),
    ...(sourceAddresses === undefined
      ? []
      : [
          {
            settings: { source_addresses: sourceAddresses },
            texts: [setUpText("source-addresses.sh")],
            steps: ["add_source_addresses"],
          },
        ]),
    checkPart(args),
    // The rules come before ip_forward, so that nothing is ever forwarded unfiltered; they also load modules that many
    // sysctls need.
    dataPlanePart(args),
    driftPart(highAvailability !== undefined),
    sysctlPart(args),
    // fck-nat leaves the interfaces unchanged.
    ...(dataPlane === "iptables" ? [] : [tuningPart(args)]),
    { settings: { unit: NAT_UNIT }, texts: [setUpText("at-each-boot.sh")], steps: ["run_at_each_boot"] },
    guardPart(args),
    ...(highAvailability === undefined
      ? []
      : [pairPart(highAvailability, idleSeconds(args.idleTimeouts).tcp)]),
    ...metricsPart(args),
    ...(heartbeat === undefined ? [] : [heartbeatPart(heartbeat)]),
    ...(upgradeWindow === undefined ? [] : [upgradeWindowPart(upgradeWindow)]),
    ...(args.privateIpv6Cidrs === undefined
      ? []
      : [{ texts: [setUpText("ipv6.sh")], steps: ["forward_ipv6"] }]),
    ...(args.nat64 ? [nat64Part] : []),
  ];
}

function basePart({ privateCidrs, outInterface, highAvailability }: NatSetupArgs): Part {
  return {
    settings: {
      notes_file: NOTES_FILE,
      out_interface: outInterface,
      private_addresses: privateCidrs.map((cidr) => cidr.replace(/\/.*/, "")),
      peer_address: highAvailability?.peer,
    },
    texts: [setUpText("begin.sh"), setUpText("interfaces.sh")],
    steps: ["find_out_interface", "find_out_address", "find_data_interfaces"],
  };
}

/** EC2's interfaces have none beneath them. */
function tuningPart({ highAvailability }: NatSetupArgs): Part {
  const hasBeneath = highAvailability?.move.kind !== "ec2";
  return {
    settings: { list_beneath: hasBeneath ? "interfaces_beneath" : ":" },
    texts: [...(hasBeneath ? [setUpText("interfaces-beneath.sh")] : []), setUpText("tuning.sh")],
    steps: ["tune_interfaces"],
  };
}

/** Defines `start_guard`. With the data plane iptables the guard repeats the input chain, and drops untranslated packets. */
function guardPart({ dataPlane, privateCidrs }: NatSetupArgs): Part {
  const left = `chain left { type nat hook postrouting priority srcnat + 1; ip saddr { ${privateCidrs.join(", ")} } oifname $out_interface ct state new drop; };`;
  const byIptables = dataPlane === "iptables";
  return {
    settings: {
      guarded_text: byIptables ? "input_ruleset" : "own_ruleset",
      guard_chains: byIptables && left,
    },
    texts: [printing("guard_program", setUpText("guard.sh")), setUpText("start-guard.sh")],
  };
}

/** File in the directory of node_exporter's textfile collector. */
const METRICS_FILE = "egress_bench_nat.prom";

/** Directory of figures that only a publisher reads. */
const METRICS_DIRECTORY = "/run/egress-bench-metrics";

/** Defines `write_metrics`, and `publish_metrics` if a program publishes them. */
function metricsPart({
  publisher,
  metricsDirectory: directory = publisher && METRICS_DIRECTORY,
  highAvailability,
  dataPlane,
}: Pick<NatSetupArgs, "publisher" | "metricsDirectory" | "highAvailability" | "dataPlane">): Part[] {
  if (directory === undefined) {
    return [];
  }
  const file = `${directory}/${METRICS_FILE}`;
  const writing: Part = {
    settings: { metrics_directory: directory },
    texts: [
      printing("metrics_text", metricsProgram(file, highAvailability, dataPlane)),
      setUpText("metrics.sh"),
    ],
    steps: ["write_metrics"],
  };
  const publishing = (text: string): Part => ({
    settings: { metrics_file: file },
    texts: [printing("publisher_text", text), setUpText("publishing.sh")],
    steps: ["publish_metrics"],
  });
  return publisher === undefined ? [writing] : [writing, publishing(publisher)];
}

function metricsProgram(
  file: string,
  ha: NatSetupArgs["highAvailability"],
  dataPlane: DataPlane = DEFAULT_DATA_PLANE,
): string {
  const pair = ha && [ha.self, ha.peer].toSorted().join(" ");
  const settings = {
    metrics_file: file,
    data_plane_file: DATA_PLANE_FILE,
    wanted_data_plane: dataPlane,
    drifts_file: DRIFTS_FILE,
    pair_program: HA_PROGRAM,
    pair,
  };
  return program("Writes a NAT instance's figures.", settings, [setUpText("metrics-program.sh")]);
}

/** Seconds between two beats. */
export const BEAT_SECONDS = 15;

/** File that exists from the moment the machine's system shuts down. */
export const LEAVING_FILE = "/run/egress-bench-leaving";

/**
 * Defines `set_up_heartbeat`.
 * @param program Shell program, called each {@link BEAT_SECONDS}, and with `leave` at shutdown. It tests forwarding from
 * the network `ebcheck`.
 */
function heartbeatPart(program: string): Part {
  return {
    settings: {
      leaving_file: LEAVING_FILE,
      beat_seconds: BEAT_SECONDS,
    },
    texts: [printing("heartbeat_text", program), setUpText("heartbeat.sh")],
    steps: ["set_up_heartbeat"],
  };
}
