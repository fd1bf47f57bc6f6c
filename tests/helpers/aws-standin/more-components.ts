/** Components of AWS that are no way out by themselves: networks, machines, pairs and private paths. */
import {
  BenchPair,
  BenchServer,
  DirectEgress,
  ExtraClients,
  IntraVpc,
  LinuxHost,
  Network,
  VpcPeering,
} from "../../../components/aws/index.ts";

type Make = new (name: string, args: never) => unknown;

/** By their names. */
export const moreComponents: Readonly<Record<string, Make>> = {
  BenchPair,
  BenchServer,
  DirectEgress,
  ExtraClients,
  IntraVpc,
  LinuxHost,
  VpcPeering,
  // A network with a subnet of each kind.
  Network: class {
    constructor(name: string, { blocks, ...args }: { readonly blocks: readonly [string, string] }) {
      const network = new Network(name, args as never);
      network.publicSubnet("public", blocks[0]);
      network.privateSubnet("apps", blocks[1]);
    }
  },
};

/** What their arguments name, beside what all do. @param at The component's place in the program. */
export function moreParts(name: string, network: Network, far: Network, at: number) {
  return {
    "@near-routes": () => network.privateSubnet(`${name}-near`, `10.0.${60 + at}.0/24`).routeTableId,
    "@peer-routes": () => far.privateSubnet(`${name}-peer`, `10.1.${60 + at}.0/24`).routeTableId,
    "@more-peer-routes": () => far.privateSubnet(`${name}-peer-2`, `10.1.${90 + at}.0/24`).routeTableId,
    "@direct": () => new DirectEgress(`direct-${name}`),
    "@other-direct": () => new DirectEgress(`other-direct-${name}`),
  };
}
