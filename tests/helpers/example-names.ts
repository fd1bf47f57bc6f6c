/** Names that examples use without declaring them, as an existing project would have them. */

const common: Readonly<Record<string, string>> = {
  pulumi: 'declare const pulumi: typeof import("@pulumi/pulumi");',
  operator: 'declare const operator: import("egress-bench").SshKeyPair;',
  text: "declare const text: string;",
};

const azure: Readonly<Record<string, string>> = {
  ...common,
  group: 'declare const group: import("@pulumi/azure-native/resources/resourceGroup.js").ResourceGroup;',
  network: 'declare const network: import("egress-bench/azure").Network;',
  clientNetwork: 'declare const clientNetwork: import("egress-bench/azure").Network;',
  serverNetwork: 'declare const serverNetwork: import("egress-bench/azure").Network;',
  nat: 'declare const nat: import("egress-bench/azure").NatInstance;',
  pair: 'declare const pair: import("egress-bench/azure").BenchPair;',
  server: 'declare const server: import("egress-bench/azure").BenchServer;',
  ssh: 'declare const ssh: import("egress-bench/azure").SshArgs;',
  ...Object.fromEntries(
    ["natSubnet", "appSubnet", "serverSubnet", "clientGatewaySubnet", "serverGatewaySubnet"].map((name) => [
      name,
      `declare const ${name}: import("@pulumi/azure-native/network/subnet.js").Subnet;`,
    ]),
  ),
};

const ec2 = (name: string, file: string, type: string) =>
  `declare const ${name}: import("@pulumi/aws/ec2/${file}.js").${type};`;

const aws: Readonly<Record<string, string>> = {
  ...common,
  vpc: ec2("vpc", "vpc", "Vpc"),
  otherVpc: ec2("otherVpc", "vpc", "Vpc"),
  publicSubnet: ec2("publicSubnet", "subnet", "Subnet"),
  privateRoutes: ec2("privateRoutes", "routeTable", "RouteTable"),
  publicA: ec2("publicA", "subnet", "Subnet"),
  publicB: ec2("publicB", "subnet", "Subnet"),
  routesA: ec2("routesA", "routeTable", "RouteTable"),
  routesB: ec2("routesB", "routeTable", "RouteTable"),
  network: 'declare const network: import("egress-bench/aws").Network;',
  outside: 'declare const outside: import("egress-bench/aws").NetworkSubnet;',
  apps: 'declare const apps: import("egress-bench/aws").NetworkSubnet;',
  otherRoutes: ec2("otherRoutes", "routeTable", "RouteTable"),
  internetGatewayRoute: ec2("internetGatewayRoute", "route", "Route"),
  nat: 'declare const nat: import("egress-bench/aws").NatInstance;',
  pair: 'declare const pair: import("egress-bench/aws").BenchPair;',
  server: 'declare const server: import("egress-bench/aws").BenchServer;',
  jump: 'declare const jump: import("egress-bench/aws").LinuxHost;',
  ssh: 'declare const ssh: import("egress-bench/aws").SshArgs;',
};

const local: Readonly<Record<string, string>> = {
  ...common,
  far: 'declare const far: import("egress-bench/local").BenchServers;',
  client: 'declare const client: import("egress-bench/local").LabHost;',
  server: 'declare const server: import("egress-bench/local").LabHost;',
};

/** The cloud that an example imports from; `aws` without such an import. */
export function cloudOf(example: string): "azure" | "aws" | "local" {
  return /egress-bench\/azure|azure-native/.test(example)
    ? "azure"
    : /egress-bench\/local/.test(example)
      ? "local"
      : "aws";
}

/** Declarations for every file of a program, by cloud; an example's own declarations take precedence. */
export const ambientNames = {
  azure: Object.values(azure).join("\n"),
  aws: Object.values(aws).join("\n"),
  local: Object.values(local).join("\n"),
};
