/** Several clients and servers of a stack: the resources of each, and the clients that servers admit. */
import { describe, expect, it } from "vitest";
import { pairServers } from "../../components/shared/bench-pair.ts";
import type { Deployment, EgressPath } from "../../components/shared/egress.ts";
import { deployMocked as onAws } from "./aws/deploy.ts";
import { deployMocked as onAzure } from "./azure/deploy.ts";
import { endsOf, known } from "./ends.ts";
import { circuitId } from "./stack-files.ts";

type Options = Record<string, unknown>;
const ends = ({ paths }: Deployment) => endsOf(paths[0] as EgressPath);

/** A topology's stack: its resources, its pairs' ends, each machine's place, and what each rule of a server admits. */
const clouds = {
  async aws(topology: string, pairs = 3, options: Options = {}) {
    const stack = await onAws([{ topology, ...options }], { pairs });
    const admitted = (server: string): string[][] =>
      stack
        .inputs("SecurityGroup", `${server}-sg`)
        .ingress.filter(({ description }: Options) => description === "test")
        .map(({ cidrBlocks }: { cidrBlocks: string[] }) => cidrBlocks.map((one) => one.replace(/\/32$/, "")));
    const placeOf = (name: string) => {
      const { subnetId: subnet, privateIp: address } = stack.inputs("Instance", name);
      return { subnet, address };
    };
    return { resources: stack.aws(), resolved: await ends(stack.result), admitted, placeOf };
  },
  async azure(topology: string, pairs = 3, options: Options = {}) {
    const stack = await onAzure([{ topology, ...options }], { pairs });
    const admitted = (server: string): string[][] =>
      stack
        .inputs("NetworkSecurityGroup", `${server}-nsg`)
        .securityRules.filter(({ name }: { name: string }) => name.startsWith("test-"))
        .map(({ sourceAddressPrefixes: many, sourceAddressPrefix: one }: Options) => many ?? [one]);
    const placeOf = (name: string) => {
      const { subnet, privateIPAddress: address } = stack.inputs("NetworkInterface", `${name}-nic`)
        .ipConfigurations[0];
      return { subnet: subnet.id, address };
    };
    return { resources: stack.azure(), resolved: await ends(stack.result), admitted, placeOf };
  },
};
type Cloud = keyof typeof clouds;
type Stack = Awaited<ReturnType<(typeof clouds)[Cloud]>>;

/** Every rule of a server admits these clients and no others. */
function expectAdmitted(
  { admitted }: Stack,
  server: string,
  expected: readonly (string | undefined)[],
): void {
  const rules = admitted(server);
  expect(rules.length).toBeGreaterThan(1);
  expect(rules).toEqual(rules.map(() => expected));
}

const numbers = ["", "-2", "-3"];

describe("several pairs", () => {
  it.each([
    ["aws", "nat-instance", "Instance", ["jump", "nat-instance-nat-machine"], ["client"]],
    ["azure", "nat-gateway", "VirtualMachine", ["nat-gateway-jump"], ["client", "server"]],
  ] as const)(
    "on %s of %s have a client and a server each, in the subnets of the first",
    async (cloud, topology, machine, others, roles) => {
      const { resources, resolved, placeOf } = await clouds[cloud](topology);
      const pairs = numbers.map((number) => [`${topology}-client${number}`, `server${number}`]);
      expect(resources.filter((one) => one.startsWith(`${machine} `))).toEqual(
        [...pairs.flat(), ...others].map((name) => `${machine} ${name}`).sort(),
      );
      expect(resolved.map(({ client, server }) => [client, server])).toEqual(pairs);
      expect(new Set(resolved.map(({ serverAddress }) => serverAddress)).size).toBe(3);
      for (const role of roles) {
        const places = pairs.map(([client = "", server = ""]) =>
          placeOf(role === "client" ? client : server),
        );
        expect(new Set(places.map(({ subnet }) => subnet)).size).toBe(1);
        expect(places.map(({ address }) => address.split(".").at(-1))).toEqual(["4", "5", "6"]);
      }
    },
  );

  it.each<[Cloud, string]>([
    ["aws", "nat-gateway"],
    ["aws", "nat-instance"],
    ["aws", "fck-nat"],
    ["azure", "nat-gateway"],
    ["azure", "nat-instance"],
    ["azure", "firewall"],
    ["azure", "load-balancer"],
  ])("on %s share the addresses of %s, and the servers admit only those", async (cloud, topology) => {
    const stack = await clouds[cloud](topology);
    const { expected } = stack.resolved[0]!;
    expect(stack.resolved.map((one) => one.expected)).toEqual([expected, expected, expected]);
    for (const number of numbers) {
      expectAdmitted(stack, `server${number}`, expected);
    }
  });

  it.each([
    ["aws", /^Eip direct-/, ["Eip direct-client-2-eip", "Eip direct-client-3-eip", "Eip direct-eip"]],
    [
      "azure",
      /^PublicIPAddress direct-/,
      ["client-2-ip", "client-3-ip", "ip"].map((name) => `PublicIPAddress direct-${name}`),
    ],
  ] as const)(
    "on %s have a public address each where the path is direct, and every server admits all",
    async (cloud, kind, made) => {
      const stack = await clouds[cloud]("direct");
      const addresses = stack.resolved.flatMap(({ expected }) => expected);
      expect(new Set(addresses).size).toBe(3);
      expectAdmitted(stack, "server-3", addresses);
      expect(stack.resources.filter((one) => kind.test(one))).toEqual(made);
    },
  );

  it.each<[Cloud, string, string, RegExp, Options]>([
    ["aws", "intra-vpc", "server-2", /^10\./, {}],
    ["aws", "vpc-peering", "server-2", /^10\./, {}],
    ["azure", "intra-vnet", "server-2", /^10\..*\.5$/, {}],
    ["azure", "vnet-peering", "server-2", /^10\..*\.5$/, {}],
    ["azure", "vpn-gateway", "vpn-gateway-server-2", /^10\..*\.5$/, {}],
    ["azure", "expressroute", "expressroute-server-2", /^10\..*\.5$/, { circuitId }],
  ])(
    "on %s of %s are seen with their own private addresses, at private servers: %s",
    async (cloud, topology, server, address, options) => {
      const stack = await clouds[cloud](topology, 2, options);
      const [first, second] = stack.resolved.map(({ expected }) => expected[0]);
      expect(second).toBe(first!.replace(/\.4$/, ".5"));
      expect(stack.resolved[1]!.server).toBe(server);
      expectAdmitted(stack, server, [first, second]);
      const servers = stack.resolved.map(({ serverAddress }) => serverAddress);
      expect(servers[1]).toMatch(address);
      expect(new Set(servers).size).toBe(2);
      expect(new Set(servers.map((one) => one.replace(/\d+$/, ""))).size).toBe(1);
    },
  );

  it("are refused where a security group could not admit them all", async () => {
    await expect(clouds.aws("direct", 16)).resolves.toBeDefined();
    const both = [{ topology: "direct" }, { topology: "intra-vpc" }];
    await expect(onAws(both, { pairs: 15 })).rejects.toThrow(
      /egress-bench:topologies: with 15 pairs the servers would see 30 source addresses or more.*can admit 29; take fewer/,
    );
    const gateways = ["a", "b", "c", "d"].map((name) => ({
      ...{ topology: "nat-gateway", name, publicIpCount: 8 },
    }));
    await expect(onAws(gateways)).rejects.toThrow(/would see 32 source addresses or more/);
    await expect(onAws(gateways.slice(1))).resolves.toBeDefined();
  });

  it("may have none of the stack's own addresses where Azure chooses one", async () => {
    const { result } = await onAzure([{ topology: "default-snat" }], { pairs: 2 });
    const [path] = result.paths as [EgressPath];
    const forbidden = (await known(path.extraPairs![0]!.forbiddenSourceIps!)) as string[];
    const servers = (await endsOf(path)).map(({ serverAddress }) => serverAddress);
    expect(forbidden).toEqual(expect.arrayContaining(servers));
  });

  it("share an Azure load balancer's ports", async () => {
    const ports = async (pairs: number, options = {}) => {
      const stack = await onAzure([{ topology: "load-balancer", ...options }], { pairs });
      return stack.inputs("LoadBalancer", "load-balancer").outboundRules[0].allocatedOutboundPorts;
    };
    expect(await ports(1)).toBe(32_000);
    expect(await ports(3)).toBe(21_328);
    expect(await ports(4, { publicIpCount: 2 })).toBe(32_000);
    await expect(ports(4, { allocatedOutboundPorts: 32_000 })).rejects.toThrow(
      /allocatedOutboundPorts: 32000 for each of 4 clients is more than the 64000 ports of 1 addresses/,
    );
  });

  it("need a server for each client", () => {
    class Server {}
    const pair = { server: new Server(), extraClients: [{}] };
    expect(() => pairServers("more", pair, Server, () => new Server())).toThrow(
      /moreServers: has 0 servers for 1 extraClients; give each client one/,
    );
  });
});
