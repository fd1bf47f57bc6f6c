import * as pulumi from "@pulumi/pulumi";
import { z } from "zod";
import { AGENT_PORT } from "../../bench/index.ts";
import { observedBy } from "../nat-instance/cloud-machine.ts";
import {
  advertisementMs,
  type HighAvailability,
  type NatSetupArgs,
  natSetup,
} from "../nat-instance/index.ts";
import { checkArgs, objectOf } from "../shared/args-schema.ts";
import type { Egress } from "../shared/egress.ts";
import { type PairAddresses, pairAddresses, type TopologyAddresses, topologyAddresses } from "./addresses.ts";
import { bridgesScript, type LabAttachment, labEgressShape, PRIVATE_INTERFACE } from "./forwarder.ts";
import { type LabHost, labHost } from "./host.ts";
import { bootCommand } from "./lab-command.ts";
import { Link, unnumberedEnd } from "./link.ts";
import { bootScript } from "./power.ts";

/** Bridge of the switch that the machines' outer links join. */
const OUTER_BRIDGE = "outer";
const OUTSIDE = "eth1";

const natInstanceHaSchema = z.strictObject({
  ...labEgressShape,
  /** Options of the set-up script. @default those of a cloud's machine */
  nat: objectOf<Omit<NatSetupArgs, "privateCidrs" | "highAvailability">>("an object of options").optional(),
  /** Milliseconds between two signs of life; three missing ones count as a death. @default 100 */
  advertisementMs,
  /**
   * Outside address. `moves`: the address that servers see moves with the role, and sessions with it. `own`: each machine
   * keeps an address of its own, as on Azure, and sessions end with the machine that carries them.
   * @default moves
   */
  outsideAddress: z.enum(["moves", "own"]).optional(),
});

/** The pair's place in the network, and the blocks that it forwards for. */
export interface NatInstanceHaArgs extends Readonly<z.infer<typeof natInstanceHaSchema>> {}

/**
 * The pair of the lab: two machines that run the same set-up script as a cloud's machines, behind a switch that holds the
 * private subnet and the outer link, so that the death of one affects neither. The gateway's address moves, and the outside
 * one too unless each machine keeps its own.
 *
 * Cost: nothing but the machine it runs on.
 *
 * @example
 * ```ts
 * import * as local from "egress-bench/local";
 *
 * const nat = new local.NatInstanceHa("nat", { server: far.gateway, index: 1, advertisementMs: 50 });
 * ```
 */
export class NatInstanceHa extends pulumi.ComponentResource implements Egress<LabAttachment> {
  readonly topology = "nat-instance-ha";
  readonly attachment: LabAttachment;
  readonly hosts: readonly LabHost[];
  readonly expectedSourceIps: string[];
  readonly ready: readonly pulumi.Resource[];

  constructor(name: string, args: NatInstanceHaArgs, opts?: pulumi.ComponentResourceOptions) {
    super("egress-bench:local:NatInstanceHa", name, {}, opts);
    checkArgs("NatInstanceHa", natInstanceHaSchema, args);
    const addresses = topologyAddresses(args.index);
    const { server } = args;
    const plug = labHost(`${name}-switch`, server.lab, "router", addresses.gateway, this);
    const afterPlug = { parent: this, dependsOn: [plug.machine] };
    const script = bridgesScript([PRIVATE_INTERFACE, OUTER_BRIDGE]);
    const switched = bootCommand(`${name}-switch-boot`, plug, { script }, afterPlug);
    const outer = this.#outerLink(name, args, plug, addresses, switched);
    const pair = pairAddresses(args.index);
    const machines = ([0, 1] as const).map((at) =>
      this.#machine(`${name}-nat-${at + 1}`, { ...args, plug, pair, at }, [switched, outer]),
    );
    this.attachment = { forwarder: plug, addresses, translates: true };
    this.hosts = machines.map(({ host }) => host);
    this.expectedSourceIps =
      args.outsideAddress === "own" ? pair.map(({ outside }) => outside) : [addresses.outside];
    this.ready = machines.map(({ booted }) => booted);
    this.registerOutputs({ expectedSourceIps: this.expectedSourceIps });
  }

  /** The link from the switch to the server, which reaches the pair's outside addresses through it. */
  #outerLink(
    name: string,
    { server, index, serverLink }: NatInstanceHaArgs,
    plug: LabHost,
    { outside }: TopologyAddresses,
    switched: pulumi.Resource,
  ): pulumi.Resource {
    const ways = [outside, ...pairAddresses(index).map((one) => one.outside)];
    const link = new Link(
      `${name}-server-link`,
      {
        shape: serverLink,
        ends: [
          { host: plug, interface: "server", bridge: OUTER_BRIDGE },
          { host: server, ...unnumberedEnd(`eth${index}`, server.dataAddress, ways) },
        ],
      },
      { parent: this, dependsOn: [switched] },
    );
    return link.ready;
  }

  #machine(
    name: string,
    args: NatInstanceHaArgs & { plug: LabHost; pair: readonly PairAddresses[]; at: 0 | 1 },
    after: pulumi.Resource[],
  ) {
    const { server, plug, pair, at } = args;
    const own = pair[at] as PairAddresses;
    const host = labHost(name, server.lab, "nat", own.inside, this);
    const links = this.#links(name, host, { server, plug, own, at }, after);
    const script = bootScript(pairSetup(args, own, pair[1 - at] as PairAddresses));
    const opts = { parent: this, dependsOn: links.map(({ ready }) => ready) };
    const booted = bootCommand(`${name}-boot`, host, { script }, opts);
    return { host, booted };
  }

  /** The links to the private side and to the outside, through the switch. */
  #links(
    name: string,
    host: LabHost,
    args: Pick<NatInstanceHaArgs, "server"> & { plug: LabHost; own: PairAddresses; at: 0 | 1 },
    after: pulumi.Resource[],
  ): Link[] {
    const { server, plug, own, at } = args;
    const far = server.dataAddress;
    const inner = new Link(
      `${name}-private-link`,
      {
        ends: [
          { host, interface: PRIVATE_INTERFACE, address: `${own.inside}/24` },
          { host: plug, interface: `nat${at + 1}`, bridge: PRIVATE_INTERFACE },
        ],
      },
      { parent: this, dependsOn: after },
    );
    const outer = new Link(
      `${name}-outer-link`,
      {
        ends: [
          { host, ...unnumberedEnd(OUTSIDE, own.outside, [far], [{ to: "default", via: far }]) },
          { host: plug, interface: `out${at + 1}`, bridge: OUTER_BRIDGE },
        ],
      },
      { parent: this, dependsOn: after },
    );
    return [inner, outer];
  }
}

function pairSetup(args: NatInstanceHaArgs, own: PairAddresses, other: PairAddresses): string {
  const { gateway, outside, privateCidr } = topologyAddresses(args.index);
  const moves = args.outsideAddress !== "own";
  const highAvailability: HighAvailability = {
    self: own.inside,
    peer: other.inside,
    ...(moves && { translatedTo: outside }),
    move: {
      kind: "addresses",
      addresses: [
        { address: gateway, link: PRIVATE_INTERFACE },
        ...(moves ? [{ address: outside, link: OUTSIDE }] : []),
      ],
    },
    check: { address: args.server.dataAddress, port: AGENT_PORT },
    advertisementMs: args.advertisementMs,
  };
  return natSetup({ ...observedBy([privateCidr], args.nat), privateCidrs: [privateCidr], highAvailability });
}
