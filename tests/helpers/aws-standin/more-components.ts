/** AWS components that are not a way out themselves: networks, machines, pairs and private paths. */
import {
  BenchPair,
  BenchServer,
  DirectEgress,
  IntraVpc,
  LinuxHost,
  NatInstance,
  type NatInstanceArgs,
  Network,
  type NetworkArgs,
  VpcPeering,
} from "../../../components/aws/index.ts";

type Make = new (name: string, args: never) => unknown;

/** A network with one subnet of each kind, and a NAT instance if further arguments are given. */
interface NetworkCase extends NetworkArgs {
  readonly blocks: readonly [string, string];
  readonly nat?: Partial<NatInstanceArgs>;
}

export const moreComponents: Readonly<Record<string, Make>> = {
  BenchPair,
  BenchServer,
  DirectEgress,
  IntraVpc,
  LinuxHost,
  VpcPeering,
  Network: class {
    constructor(name: string, { blocks: [outside, apps], nat, ...args }: NetworkCase) {
      const network = new Network(name, args);
      const { subnetId } = network.publicSubnet("public", outside);
      const { routeTableId } = network.privateSubnet("apps", apps);
      if (nat !== undefined) {
        const place = { vpcId: network.vpcId, subnetId, internetReady: network.internetReady };
        const clients = { privateRouteTableIds: [routeTableId], privateCidrs: [apps] };
        new NatInstance(name, { ...place, ...clients, ...nat });
      }
    }
  },
};

/** Referenced parts, besides the common ones. @param at The component's place in the program. */
export function moreParts(name: string, network: Network, far: Network, at: number) {
  return {
    "@near-routes": () => network.privateSubnet(`${name}-near`, `10.0.${60 + at}.0/24`).routeTableId,
    "@peer-routes": () => far.privateSubnet(`${name}-peer`, `10.1.${60 + at}.0/24`).routeTableId,
    "@more-peer-routes": () => far.privateSubnet(`${name}-peer-2`, `10.1.${90 + at}.0/24`).routeTableId,
    "@direct": () => new DirectEgress(`direct-${name}`),
    "@other-direct": () => new DirectEgress(`other-direct-${name}`),
  };
}
