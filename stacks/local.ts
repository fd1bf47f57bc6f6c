/** The local lab as a cloud. */
import { z } from "zod";
import { BIT_RATE_ALLOWED, parseBitRate, type TopologyOf } from "../bench/index.ts";
import { quantity } from "../bench/plan/fields.ts";
import {
  BenchPair,
  BenchServers,
  DirectEgress,
  type LabAttachment,
  type LabEgressArgs,
  NatInstance,
  NatInstanceHa,
} from "../components/local/index.ts";
import { assertLabMachine, assertPairPrograms } from "../components/local/lab/requirements.ts";
import { advertisementMs, natOptionsSchema, pairNatOptions } from "../components/nat-instance/index.ts";
import type { Deployment, Egress } from "../components/shared/egress.ts";
import type { Cloud, DeployRequest } from "./cloud.ts";
import { ConfigError } from "./config.ts";

const rate = quantity(
  (input) => parseBitRate(input) || undefined,
  BIT_RATE_ALLOWED,
  `expected ${BIT_RATE_ALLOWED}`,
);

const linkSchema = z.strictObject({
  rate: rate.optional().meta({ description: "Rate of the link, such as `200M`.", allowed: BIT_RATE_ALLOWED }),
  delayMs: z.number().positive().max(10_000).optional().describe("Delay one way."),
});

/** The `egress-bench:local` section of a stack's configuration. */
export const settingsSchema = z.strictObject({
  links: z
    .strictObject({
      client: linkSchema.default({}).describe("Between each client and its forwarder."),
      server: linkSchema.default({}).describe("Between each forwarder and the server."),
    })
    .default({ client: {}, server: {} })
    .describe(
      "Shape of every topology's link between client and forwarder, and between forwarder and server.",
    ),
});
type Settings = z.infer<typeof settingsSchema>;

interface LabTopology {
  readonly options: z.ZodType<Record<string, unknown>>;
  make(name: string, args: LabEgressArgs, options: Record<string, unknown>): Egress<LabAttachment>;
}

const packageSources = { packageMirror: true, packageProxy: true } as const;

const natInstanceHaOptions = pairNatOptions.omit(packageSources).extend({
  advertisementMs,
  outsideAddress: z.enum(["moves", "own"]).optional().meta({
    description: "Whether the address that servers see moves to the standby, or each machine has its own.",
    default: "moves",
  }),
});

/** The registry: one line for each topology whose record names the lab. */
const registry: Readonly<Record<TopologyOf<"local">, LabTopology>> = {
  direct: { options: z.strictObject({}), make: (name, args) => new DirectEgress(name, args) },
  "nat-instance": {
    // Without package sources: the lab uses the machine's own packages.
    options: natOptionsSchema.omit(packageSources),
    make: (name, args, nat) => new NatInstance(name, { ...args, nat }),
  },
  "nat-instance-ha": {
    options: natInstanceHaOptions,
    make: (name, args, { advertisementMs, outsideAddress, ...nat }) => {
      assertPairPrograms();
      return new NatInstanceHa(name, {
        ...args,
        nat,
        advertisementMs: advertisementMs as number | undefined,
        outsideAddress: outsideAddress as "moves" | "own" | undefined,
      });
    },
  },
};

const note =
  "All hosts of the local lab share one machine: CPU figures are the whole machine's, and throughput is limited by its CPUs, not by a network. Compare the columns; do not quote the figures.";

function deploy(request: DeployRequest<Settings>): Deployment {
  try {
    assertLabMachine();
  } catch (error) {
    throw new ConfigError((error as Error).message);
  }
  const lab = { name: request.stack, operatorKey: request.operatorKey };
  const { client, server: serverSide } = request.settings.links;
  const far = new BenchServers("server", { lab, count: request.pairs });
  const [server, ...moreServers] = far.servers;
  const paths = request.topologies.map(({ name, topology, options }, position) => {
    const args = { server: far.gateway, index: position + 1, serverLink: shape(serverSide) };
    const egress = registry[topology as TopologyOf<"local">].make(name, args, options);
    const ends = { server, moreServers, serversReady: far.ready };
    return new BenchPair(name, { ...ends, egress, clientLink: shape(client) }).path;
  });
  return { server, paths, notes: [note] };
}

function shape(link: z.infer<typeof linkSchema>) {
  return { bitsPerSecond: link.rate, delayMs: link.delayMs };
}

export const local: Cloud<Settings> = {
  topologies: Object.fromEntries(Object.entries(registry).map(([name, { options }]) => [name, options])),
  settings: settingsSchema,
  deploy,
};
