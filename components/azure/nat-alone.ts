import type * as pulumi from "@pulumi/pulumi";
import { natBoot, natSetUpArgs, privateBlocks, takenIn } from "../nat-instance/cloud-machine.ts";
import { refusedWith } from "../shared/preview-check.ts";
import { machineSettings, placement } from "./common.ts";
import { freeForUpdate } from "./held-addresses.ts";
import { LinuxHost, type MachineIdentity } from "./linux-host.ts";
import type { NatInstanceArgs } from "./nat-args.ts";
import { natBirth, natSetUpAgain } from "./nat-set-up.ts";
import { publicIpsOf } from "./public-ip.ts";
import { natRules } from "./security-rules.ts";

/** One machine or a pair, and the way to it. */
export interface NatMachines {
  /** The machine; for a pair the first active one, then its standby. */
  readonly hosts: readonly [LinuxHost, ...LinuxHost[]];
  readonly addresses: pulumi.Output<string>[];
  /** Private address that clients use: the machine's, or the load balancer frontend's. */
  readonly nextHop: pulumi.Output<string>;
  readonly more: readonly pulumi.Resource[];
}

/** Leads the clients to an address, once the given resources exist. */
export type Lead = (
  nextHop: pulumi.Output<string>,
  after: readonly pulumi.Resource[],
) => readonly pulumi.Resource[];

export function natAlone(
  name: string,
  args: NatInstanceArgs,
  size: pulumi.Input<string>,
  parent: pulumi.Resource,
  lead: Lead,
): NatMachines {
  const privateCidrs = privateBlocks(args.privateCidrs);
  const ips = publicIpsOf(name, args, parent);
  const addresses = ips.map(({ id }) => ({ publicIpAddressId: id }));
  const known = ips.map(({ address }) => address);
  const { ssh } = args;
  const setUp = ({ privateAddresses }: Pick<MachineIdentity, "privateAddresses">) =>
    natSetUpArgs(args.nat, privateCidrs, privateAddresses, ips.length, ssh);
  const host = new LinuxHost(
    `${name}-nat`,
    {
      ...placement(args),
      ...machineSettings({ ...args, size }),
      role: "nat",
      subnetId: args.subnetId,
      addresses: addresses as [(typeof addresses)[0]],
      forwarding: true,
      rules: natRules(takenIn(args)),
      sshKey: ssh?.key,
      loginAddress: known[0],
      ...natBirth(setUp, natBoot(args.nat)),
    },
    { parent },
  );
  const nextHop = host.privateAddresses.apply(([primary]) => primary ?? "");
  const more = [natSetUpAgain(host, args, setUp(host)), ...lead(nextHop, host.ready)];
  const refusals = args.publicIps?.map(({ id }) => freeForUpdate(id, [host])) ?? [];
  const held = known.map((address) => refusedWith(address, refusals));
  return { hosts: [host], addresses: held, nextHop, more };
}
