/** The address that moves between a pair's machines, and that the engine never moves back. */
import { EipAssociation } from "@pulumi/aws/ec2/eipAssociation.js";
import { getEipsOutput } from "@pulumi/aws/ec2/getEips.js";
import { getElasticIpOutput } from "@pulumi/aws/ec2/getElasticIp.js";
import * as pulumi from "@pulumi/pulumi";
import { invalid } from "../shared/arguments.ts";
import { firstFound } from "../shared/first-found.ts";
import type { PublicIp } from "./common.ts";
import type { LinuxHost } from "./linux-host.ts";

type Two<T> = readonly [T, T];

/**
 * The private address that two machines of one subnet share, as it was first found. It is read from both interfaces,
 * because after a take-over a refresh finds it at the second one.
 * @throws {Error} by the output, when neither interface has it and the state does not know it either.
 */
export function sharedPrivateAddress(
  name: string,
  [first, second]: Two<LinuxHost>,
  parent: pulumi.Resource,
): pulumi.Output<string> {
  const found = pulumi
    .all([first.secondaryAddress, second.secondaryAddress])
    .apply(([one, other]) => one ?? other ?? "");
  // Another interface has other addresses.
  const replacementTrigger = first.interfaceId as pulumi.Output<string>;
  const kept = firstFound(`${name}-shared-address`, found, { parent, replacementTrigger });
  return kept.apply((address) => {
    if (address === "") {
      throw new Error(
        `neither machine of ${name} has a second private address; assign one to the first machine's interface, then run pulumi up --refresh`,
      );
    }
    return address;
  });
}

/**
 * Whether the second machine is active: its interface has the moving Elastic IP beside its own. A route table would show it
 * only once it leads to the pair.
 */
export function isSecondActive(second: LinuxHost, own: PublicIp): pulumi.Output<boolean> {
  const interfaceId = second.interfaceId as pulumi.Output<string>;
  const filters = [{ name: "network-interface-id", values: [interfaceId] }];
  const { allocationIds } = getEipsOutput({ filters }, { parent: second });
  return pulumi.all([allocationIds, own.id]).apply(([all, id]) => all.some((one) => one !== id));
}

/** The first and later associations of a pair's Elastic IP. */
export interface MovingAddressArgs {
  readonly hosts: Two<LinuxHost>;
  /** The Elastic IP that moves. */
  readonly shared: PublicIp;
  /** Private addresses it may be at, the first machine's first. */
  readonly privateAddresses: pulumi.Input<Two<string>>;
  readonly internetReady: readonly pulumi.Resource[];
  readonly isSecondActive: pulumi.Output<boolean>;
}

/**
 * Records the pair's Elastic IP at the machine that has it. The first machine brings it there when it begins to carry, so that
 * clients of a single machine with that address go on until then.
 *
 * EC2 gives a moved association a new id. A refresh finds the old one gone, and the engine makes it again where the address
 * is by then, which moves nothing.
 * @throws {pulumi.InputPropertyError} by its inputs, for an address that comes to the pair while the second machine is
 * active: the engine keeps where an association leads, which is the first machine.
 */
export function movingAddress(args: MovingAddressArgs): EipAssociation {
  const { hosts, shared, internetReady } = args;
  const [first, second] = hosts;
  const now = getElasticIpOutput({ id: shared.id }, { parent: first });
  const place = pulumi
    .all([
      hosts.map(({ interfaceId }) => interfaceId as pulumi.Output<string>),
      args.privateAddresses,
      now,
      args.isSecondActive,
    ])
    .apply(([interfaces, addresses, { networkInterfaceId }, isSecondActive]) => {
      const known = interfaces.indexOf(networkInterfaceId);
      if (known < 0 && isSecondActive) {
        throw invalid(
          "publicIps",
          "cannot change while the second machine is active; run egress-bench-ha drain there, then pulumi up --refresh with the former publicIps, then pulumi up with the new ones",
        );
      }
      const at = Math.max(0, known);
      return { networkInterfaceId: interfaces[at] as string, privateIpAddress: addresses[at] as string };
    });
  return new EipAssociation(
    // The former name, from when the address was the first machine's own.
    `${first.name}-eni-2`,
    {
      allocationId: shared.id,
      networkInterfaceId: place.networkInterfaceId,
      privateIpAddress: place.privateIpAddress,
      allowReassociation: true,
    },
    {
      parent: first,
      dependsOn: [...internetReady, ...first.ready, ...second.ready],
      deleteBeforeReplace: true,
      ignoreChanges: ["networkInterfaceId", "privateIpAddress"],
    },
  );
}
