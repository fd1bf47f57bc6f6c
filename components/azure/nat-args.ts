/** Arguments of Azure's NAT instance. `fallback` says what holds where an argument is left out. */
import { z } from "zod";
import { defaultNatSize, limitWords } from "../../bench/machines/index.ts";
import { advertisementMs, checkOption, natComponentOptions } from "../nat-instance/index.ts";
import { text, texts } from "../shared/args-schema.ts";
import { invalid } from "../shared/arguments.ts";
import { sshArgsSchema } from "../shared/host-login.ts";
import { azureShape, machineShape } from "./common.ts";
import { publicIpShape } from "./public-ip.ts";

/** Default size of a NAT instance. */
export const DEFAULT_NAT_SIZE = defaultNatSize.azure;
const limits = limitWords(DEFAULT_NAT_SIZE);
const addresses = publicIpShape(64);

/** Azure sends IPv6 from a machine with its own public address alone, so that a machine can pass on nobody else's. */
const notOnAzure = { privateIpv6Cidrs: true, nat64: true } as const;

/** Refuses IPv6 through the machine. @throws {pulumi.InputPropertyError} for an option of it. */
export function assertIpv4(nat: unknown): void {
  for (const option of Object.keys(notOnAzure)) {
    if (typeof nat === "object" && nat !== null && option in nat) {
      throw invalid(
        `nat.${option}`,
        "Azure carries no machine's IPv6 through another; leave it out, or take NatGatewayEgress with sku StandardV2 and publicIpV6Count",
      );
    }
  }
}

const highAvailabilitySchema = z
  .strictObject({
    zones: z.array(z.string()).readonly().optional().meta({
      description:
        "Availability zones of the first machine and of its standby; an empty list (`[]`) puts both in an availability set.",
      fallback: "1 and 2, or an availability set where `location` is plain text and has no zones",
    }),
    privateAddresses: z.tuple([text, text]).readonly().optional().meta({
      description:
        "Fixed private addresses of the first machine and of its standby; they must be free in the subnet.",
      fallback: "Azure's choice",
    }),
    advertisementMs,
    check: checkOption,
  })
  .readonly();

/** A pair's zones, addresses and checks, with the target that forwarding is tested against. */
export type HighAvailabilityArgs = z.infer<typeof highAvailabilitySchema>;

/** Arguments of the NAT instance. */
export const natInstanceSchema = z.strictObject({
  ...azureShape,
  ...machineShape,
  subnetId: text.meta({
    description:
      "Subnet of the machine. Not one of its clients': their route would lead the machine back to itself.",
  }),
  privateCidrs: texts.meta({
    description: "CIDR blocks of the subnets whose hosts may go out through the machine.",
  }),
  ssh: sshArgsSchema.optional().meta({
    description:
      "Login key and the addresses that may log in. Without it there is no login, and Azure's Run Command reports the end of the set-up.",
    fallback: "no logins",
  }),
  size: text.optional().meta({
    description:
      `Any Linux size. Every forwarded byte counts: Basv2 sizes send at most ${limits.sends}, and ${DEFAULT_NAT_SIZE} ` +
      `sustains ${limits.cpuShare}.`,
    default: DEFAULT_NAT_SIZE,
  }),
  publicIpCount: addresses.publicIpCount.meta({
    description: "Public addresses, each on a private address of its own.",
    default: 1,
  }),
  publicIps: addresses.publicIps.meta({
    description:
      "Public addresses that exist already, of SKU `Standard`, used instead of new ones, of a pair one for each " +
      "machine. Azure gives an address to one resource at a time: docs/azure.md#keep-a-public-address has the order.",
    fallback: "new ones",
  }),
  highAvailability: highAvailabilitySchema.optional().meta({
    description:
      "A second machine stands by behind an internal load balancer, which leads there within seconds when the first one " +
      "fails. Each has a public address of its own, which cannot move: sessions end with the machine that carries them, and " +
      "allow-lists need both addresses. docs/high-availability.md.",
    fallback: "one machine",
  }),
  nat: natComponentOptions.omit(notOnAzure).optional().meta({
    description: "Settings of the set-up script: data plane, strictness, ports.",
    fallback: "a flowtable, ports of the kernel's choice",
  }),
  privateRouteTableIds: z
    .array(text)
    .readonly()
    .optional()
    .meta({
      description:
        "Route tables that the clients' subnets have already; each gets a route 0.0.0.0/0. With an empty list (`[]`) you make it: of " +
        "type `VirtualAppliance`, to `nextHopIpAddress`. Azure takes one table a subnet.",
      fallback: "a table of the component's own",
    }),
});

/** Arguments of the NAT instance. */
export interface NatInstanceArgs extends Readonly<z.infer<typeof natInstanceSchema>> {}
