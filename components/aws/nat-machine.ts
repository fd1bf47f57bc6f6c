/** The parts that NAT instances share: public addresses, a forwarding machine, and routes to its interface. */
import * as pulumi from "@pulumi/pulumi";
import { takenIn } from "../nat-instance/cloud-machine.ts";
import type { NatOptions } from "../nat-instance/index.ts";
import { invalid, refuseGiven } from "../shared/arguments.ts";
import { architecture } from "./architecture.ts";
import { elasticIps, publicIpOf } from "./elastic-ip.ts";
import { LinuxHost } from "./linux-host.ts";
import type { LinuxHostArgs } from "./linux-host-args.ts";
import type { MachineRole } from "./machine-role.ts";
import type { NatMachineArgs } from "./nat-args.ts";
import { defaultRoutes, ledTo, publicSubnetId } from "./routes.ts";
import { type NatGroup, natRules } from "./security-group.ts";
import { subnetOfGroup } from "./settled-subnet.ts";

/** The machines of a NAT instance, and the routes to the active one. */
export interface NatMachines {
  /** The machine; of a pair the one that is set up and active first, and its standby. */
  readonly hosts: readonly [LinuxHost, ...LinuxHost[]];
  readonly routes: readonly pulumi.Resource[];
  /** Public addresses of a single machine, each on a private address of its own; of a pair the one that moves. */
  readonly addresses: pulumi.Output<string>[];
  /** The machines' role; undefined with a profile of the caller's, and where none is needed. */
  readonly role: MachineRole | undefined;
}

type Software = Omit<LinuxHostArgs, "role" | "vpcId" | "subnetId" | "rules"> & {
  /** Options of its set-up that its group opens for. @default none */
  readonly nat?: NatOptions | undefined;
  /** Whether EC2 tracks its connections. @default "stateful" */
  readonly securityGroup?: NatGroup | undefined;
  /** Id of the NAT gateway that takes over the private routes meanwhile. @default none */
  readonly standIn?: pulumi.Output<string> | undefined;
};

/** Seconds in which a machine about to be terminated says so, and its clients are moved elsewhere. */
const TERMINATION_DELAY_SECONDS = 60;

/** Makes a forwarding machine and its routes. @throws {pulumi.InputPropertyError} for what cannot be one */
export function natMachine(
  name: string,
  args: NatMachineArgs,
  publicIpCount: number,
  { nat, securityGroup = "stateful", standIn, lifelong, ...software }: Software,
  parent: pulumi.Resource,
) {
  const { iamInstanceProfile, keyName, creditMode, volume, spot, maximumLifetimeDays } = args;
  assertHealing(args);
  assertSpotTypes(software.instanceType, spot);
  const publicIps = args.publicIps ?? elasticIps(name, args, publicIpCount, parent).map(publicIpOf);
  const subnetId = publicSubnetId(args, parent);
  const host = new LinuxHost(
    `${name}-nat`,
    {
      ...hostArgs(args, securityGroup, nat),
      ...software,
      subnetId: args.autoHeal ? subnetOfGroup(name, subnetId, parent) : subnetId,
      publicIps,
      // Off with a NAT gateway, whose function must know the interface, and for a spot instance that may never come.
      addressLast: standIn === undefined && spot?.onDemandFallback === undefined,
      lifelong: args.autoHeal || (software.waitBy ?? waitBy(args)) === "nothing" ? undefined : lifelong,
      // Off with given addresses: they are used where new ones are forbidden.
      ephemeralPublicIp: args.publicIps === undefined,
      options: {
        ...{ iamInstanceProfile, keyName, creditMode, volume, spot, maximumLifetimeDays },
        terminationDelaySeconds: standIn && TERMINATION_DELAY_SECONDS,
      },
    },
    { parent },
  );
  const networkInterfaceId = host.interfaceId as pulumi.Output<string>;
  const target = standIn === undefined ? { networkInterfaceId } : ledTo(networkInterfaceId, standIn, parent);
  // The routes follow the address at once: the former machine has none any more.
  const routes = defaultRoutes(name, args, target, parent, [], host.booted);
  return { host, routes, addresses: publicIps.map(({ address }) => pulumi.output(address)) };
}

/** The machine's arguments, whatever software it runs. */
function hostArgs(args: NatMachineArgs, group: NatGroup, nat: NatOptions | undefined) {
  const { tags, vpcId, image, internetReady, autoHeal, ssh, securityGroupIds, extraScript } = args;
  return {
    ...{ tags, vpcId, image, internetReady, autoHeal, securityGroupIds, extraScript },
    waitBy: waitBy(args),
    role: "nat" as const,
    placementGroup: args.placementGroup,
    forwarding: true,
    rules: natRules(group, takenIn({ ...args, nat })),
    sshKey: ssh?.key,
  };
}

/** Refuses options that only a group of one can have. @throws {pulumi.InputPropertyError} */
function assertHealing({ autoHeal = false, spot, maximumLifetimeDays }: NatMachineArgs): void {
  if (!autoHeal) {
    refuseGiven(
      { spot, maximumLifetimeDays },
      (argument) => `needs another machine to take over; set autoHeal too, or leave ${argument} out`,
    );
  }
}

/** Refuses a type that the first one's image does not fit, as far as both are plain. @throws {pulumi.InputPropertyError} */
function assertSpotTypes(first: pulumi.Input<string>, spot: NatMachineArgs["spot"]): void {
  for (const [index, type] of (spot?.instanceTypes ?? []).entries()) {
    if (typeof first === "string" && typeof type === "string" && architecture(first) !== architecture(type)) {
      throw invalid(
        `spot.instanceTypes[${index}]`,
        `${type} is ${architecture(type)}, but ${first} and its image are ${architecture(first)}; choose types of one architecture`,
      );
    }
  }
}

/** How the end of the machine's set-up is detected: by a login, by Systems Manager, or not at all. */
export function waitBy({ ssh, iamInstanceProfile }: NatMachineArgs): LinuxHostArgs["waitBy"] {
  if (ssh !== undefined) {
    return "login";
  }
  return iamInstanceProfile === undefined ? "nothing" : "systems-manager";
}
