/** Azure components that are not a way out with a subnet of clients: networks, machines, pairs and private paths. */
import * as pulumi from "@pulumi/pulumi";
import {
  type AzureArgs,
  BenchPair,
  BenchServer,
  DirectEgress,
  ExpressRoute,
  IntraVnet,
  LinuxHost,
  NatGatewayEgress,
  Network,
  VnetPeering,
  VpnGateway,
} from "../../../components/azure/index.ts";

type Make = new (name: string, args: never) => unknown;

export const moreComponents: Readonly<Record<string, Make>> = {
  BenchPair,
  BenchServer,
  DirectEgress,
  ExpressRoute,
  IntraVnet,
  LinuxHost,
  VnetPeering,
  VpnGateway,
  // A network with one subnet, made by its methods.
  Network: class {
    constructor(name: string, { subnet, ...args }: { readonly subnet: object; readonly cidr: string }) {
      new Network(name, args as never).subnet(`${name}-apps`, subnet as never);
    }
  },
};

/** Referenced parts, besides the common ones. */
export function moreParts(name: string, place: AzureArgs, network: Network) {
  const far = (text: string, cidr: string) => new Network(`${text}-${name}`, { ...place, cidr });
  const [near, remote] = [() => network, () => far("far", "10.1.0.0/16")];
  const made = { remote: undefined as Network | undefined };
  const theFar = () => {
    made.remote ??= remote();
    return made.remote;
  };
  return {
    "@network": near,
    "@far": theFar,
    "@farther": () => far("farther", "10.2.0.0/16"),
    "@existing": () => {
      const { id, vnetName } = far("existing", "10.9.0.0/16");
      return { id, name: vnetName };
    },
    "@gateway": () => gatewaySubnet(network, `gateway-${name}`, "10.0.250.0/27"),
    "@far-gateway": () => gatewaySubnet(theFar(), `far-gateway-${name}`, "10.1.250.0/27"),
    "@machines": () => network.subnet(`machines-${name}`, { cidr: "10.0.150.0/24" }).id,
    "@servers": () => network.subnet(`servers-${name}`, { cidr: "10.0.151.0/24" }),
    "@direct": () => new DirectEgress(`direct-${name}`, place),
    "@nat-gateway": () => new NatGatewayEgress(`gateway-${name}`, place),
    "@resource-group": () => place.resourceGroupName,
    "@user-data": () => () => pulumi.output("#cloud-config\npackages: [iperf3]\n"),
    "@other-user-data": () => () => pulumi.output("#cloud-config\npackages: [nuttcp]\n"),
  };
}

function gatewaySubnet(network: Network, name: string, cidr: string) {
  return network.subnet(name, { cidr, subnetName: "GatewaySubnet" }).id;
}
