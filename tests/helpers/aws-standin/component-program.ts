/** The program of tests that change deployed components: a network, and for each component a subnet of clients. */
import { Eip } from "@pulumi/aws/ec2/eip.js";
import { PlacementGroup } from "@pulumi/aws/ec2/placementGroup.js";
import { SecurityGroup } from "@pulumi/aws/ec2/securityGroup.js";
import type * as pulumi from "@pulumi/pulumi";
import {
  FckNat,
  NatGatewayEgress,
  NatInstance,
  NatInstancePerZone,
  Network,
} from "../../../components/aws/index.ts";
import { eachOnce, resolved } from "../changes/memo.ts";
import { moreComponents, moreParts } from "./more-components.ts";

/** Arguments by component and name. A text `@...` stands for something that the program makes. */
export type AwsComponents = Readonly<Record<string, AwsComponentCase>>;

interface AwsComponentCase {
  readonly component: keyof typeof components;
  readonly args: Readonly<Record<string, unknown>>;
}

const components = { FckNat, NatGatewayEgress, NatInstance, NatInstancePerZone } as const;

const login = (user: string) => ({ publicKey: `ssh-ed25519 ${user}`, privateKey: user });

/** Deploys them in one VPC, each with its own route tables. */
export function deployAwsComponents(cases: AwsComponents): void {
  const network = new Network("net", { cidr: "10.0.0.0/16", zone: "us-east-1a" });
  const subnets = {
    "@public": network.publicSubnet("public", "10.0.0.0/24"),
    "@other": network.publicSubnet("other", "10.0.1.0/24"),
    "@zone-b": network.publicSubnet("zone-b", "10.0.2.0/24", "us-east-1b"),
  };
  const far = new Network("far", { cidr: "10.1.0.0/16", zone: "us-east-1a" });
  const farSubnet = far.publicSubnet("public", "10.1.0.0/24");
  const group = new SecurityGroup("own", { vpcId: network.vpcId });
  for (const [at, [name, { component, args }]] of Object.entries(cases).entries()) {
    const routes = network.privateSubnet(name, `10.0.${10 + at}.0/24`);
    const known = eachOnce({
      ...moreParts(name, network, far, at),
      "@far-internet": () => [...far.internetReady, farSubnet.associated],
      ...Object.fromEntries(Object.entries(subnets).map(([key, { subnetId }]) => [key, () => subnetId])),
      "@vpc": () => network.vpcId,
      "@far-vpc": () => far.vpcId,
      "@far-public": () => farSubnet.subnetId,
      "@far-routes": () => far.privateSubnet(name, `10.1.${10 + at}.0/24`).routeTableId,
      "@routes": () => routes.routeTableId,
      "@more-routes": () => network.privateSubnet(`${name}-more`, `10.0.${130 + at}.0/24`).routeTableId,
      "@public-routes": () => subnets["@public"].routeTableId,
      "@group": () => group.id,
      "@placement": () => new PlacementGroup(`placement-${name}`, { strategy: "spread" }).name,
      "@eip": () => kept(`kept-${name}`),
      "@eip-2": () => kept(`kept-2-${name}`),
      "@operator": () => login("operator"),
      "@another-operator": () => login("another"),
      "@internet": () => [
        ...network.internetReady,
        ...Object.values(subnets).map(({ associated }) => associated),
      ],
    });
    const Component = (moreComponents[component] ?? components[component]) as unknown as new (
      name: string,
      args: never,
    ) => pulumi.Resource;
    new Component(name, resolved(args, known) as never);
  }
}

function kept(name: string) {
  const { id, publicIp } = new Eip(name, { domain: "vpc" });
  return { id, address: publicIp };
}
