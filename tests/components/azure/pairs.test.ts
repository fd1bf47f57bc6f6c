/** Several clients and servers of an Azure stack: the resources of each, and the clients that servers admit. */
import { describe, expect, it } from "vitest";
import type { EgressPath } from "../../../components/shared/egress.ts";
import { endsOf, known } from "../ends.ts";
import { circuitId } from "../stack-files.ts";
import { deployMocked, deployMockedWith } from "./deploy.ts";

async function deployed(topology: string, pairs = 3, options: Record<string, unknown> = {}) {
  const stack = await deployMocked([{ topology, ...options }], { pairs });
  const [path] = stack.result.paths as [EgressPath];
  const resolved = await endsOf(path);
  const rulesOf = (server: string) =>
    stack
      .inputs("NetworkSecurityGroup", `${server}-nsg`)
      .securityRules.filter(({ name }: { name: string }) => name.startsWith("test-"));
  const admitted = (server: string) =>
    rulesOf(server).map(
      ({ sourceAddressPrefixes, sourceAddressPrefix }: Record<string, string[] | string>) =>
        sourceAddressPrefixes ?? sourceAddressPrefix,
    );
  return { stack, path, resolved, admitted };
}

describe("several pairs", () => {
  it("make the same resources as before for one", async () => {
    const [one, same] = [await deployMocked([{ topology: "direct" }]), await deployed("direct", 1)];
    expect(same.stack.azure()).toEqual(one.azure());
  });

  it("have a client and a server each, all in the subnets of the first", async () => {
    const { stack, resolved } = await deployed("nat-gateway");
    const machines = stack.azure().filter((resource) => resource.startsWith("VirtualMachine "));
    expect(machines).toEqual([
      ...["nat-gateway-client", "nat-gateway-client-2", "nat-gateway-client-3", "nat-gateway-jump"].map(
        (name) => `VirtualMachine ${name}`,
      ),
      ...["server", "server-2", "server-3"].map((name) => `VirtualMachine ${name}`),
    ]);
    for (const name of ["nat-gateway-client", "server"]) {
      const addresses = ["", "-2", "-3"].map(
        (number) => stack.inputs("NetworkInterface", `${name}${number}-nic`).ipConfigurations[0],
      );
      const [subnet] = new Set(addresses.map(({ subnet: { id } }) => id));
      expect(addresses.every(({ subnet: { id } }) => id === subnet)).toBe(true);
      expect(addresses.map(({ privateIPAddress }) => privateIPAddress.split(".").at(-1))).toEqual([
        "4",
        "5",
        "6",
      ]);
    }
    expect(resolved.map(({ client, server }) => [client, server])).toEqual([
      ["nat-gateway-client", "server"],
      ["nat-gateway-client-2", "server-2"],
      ["nat-gateway-client-3", "server-3"],
    ]);
    expect(new Set(resolved.map(({ serverAddress }) => serverAddress)).size).toBe(3);
  });

  it.each(["nat-gateway", "nat-instance", "firewall", "load-balancer"])(
    "share the addresses of %s, and the servers admit only those",
    async (topology) => {
      const { resolved, admitted } = await deployed(topology);
      const expected = resolved[0]!.expected;
      expect(resolved.map((one) => one.expected)).toEqual([expected, expected, expected]);
      for (const server of ["server", "server-2", "server-3"]) {
        expect(admitted(server)).toEqual([expected, expected]);
      }
    },
  );

  it("have a public address each where the path is direct, and every server admits all", async () => {
    const { resolved, admitted, stack } = await deployed("direct");
    const addresses = resolved.flatMap(({ expected }) => expected);
    expect(new Set(addresses).size).toBe(3);
    expect(admitted("server-3")).toEqual([addresses, addresses]);
    const ids = ["direct-client-2-nic", "direct-client-3-nic"].map(
      (nic) => stack.inputs("NetworkInterface", nic).ipConfigurations[0].publicIPAddress.id,
    );
    expect(ids.map((id: string) => id.split("/").at(-1))).toEqual([
      "direct-client-2-ip-0",
      "direct-client-3-ip-0",
    ]);
  });

  it.each([
    ["intra-vnet", {}],
    ["vnet-peering", {}],
    ["vpn-gateway", {}],
    ["expressroute", { circuitId }],
  ])("of %s are seen with their own private addresses, at private servers", async (topology, options) => {
    const { resolved, admitted } = await deployed(topology, 2, options);
    const [first, second] = resolved.map(({ expected }) => expected[0] as string);
    expect(second).toBe(first!.replace(/\.4$/, ".5"));
    const server = resolved[1]!.server!;
    expect(admitted(server)).toEqual([
      [first, second],
      [first, second],
    ]);
    expect(resolved[1]!.serverAddress).toBe(resolved[0]!.serverAddress.replace(/\.4$/, ".5"));
    expect(server).toBe(/vpn|express/.test(topology) ? `${topology}-server-2` : "server-2");
  });

  it("may have none of the stack's own addresses where Azure chooses one", async () => {
    const { path, resolved } = await deployed("default-snat", 2);
    const forbidden = (await known(path.extraPairs![0]!.forbiddenSourceIps!)) as string[];
    expect(forbidden).toEqual(expect.arrayContaining(resolved.map(({ serverAddress }) => serverAddress)));
  });

  it("share a load balancer's ports", async () => {
    const ports = async (pairs: number, options = {}) => {
      const { stack } = await deployed("load-balancer", pairs, options);
      return stack.inputs("LoadBalancer", "load-balancer").outboundRules[0].allocatedOutboundPorts;
    };
    expect(await ports(1)).toBe(32_000);
    expect(await ports(3)).toBe(21_328);
    expect(await ports(4, { publicIpCount: 2 })).toBe(32_000);
    await expect(ports(4, { allocatedOutboundPorts: 32_000 })).rejects.toThrow(
      /allocatedOutboundPorts: 32000 for each of 4 clients is more than the 64000 ports of 1 addresses/,
    );
  });

  it("need a server for each client", async () => {
    const { BenchPair } = await import("../../../components/azure/index.ts");
    const attempt = deployMockedWith([{ topology: "direct" }], {}, ({ paths }) => {
      const one = { privateAddress: "10.0.0.5", publicIp: undefined, expectedSourceIps: [] };
      expect(paths).toHaveLength(1);
      Reflect.construct(BenchPair, ["more", { ...pairArgs(), extraClients: [one] }]);
    });
    await expect(attempt).rejects.toThrow(
      /moreServers: has 0 servers for 1 extraClients; give each client one/,
    );

    function pairArgs() {
      const ssh = { key: { publicKey: "", privateKey: "" }, allowedCidrs: [] };
      const place = { resourceGroupName: "rg", location: "japaneast", clientCidr: "", jumpCidr: "" };
      const network = { cidr: "" };
      const client = { size: "" };
      return { ...place, network, client, ssh, egress: { attachment: {} }, server: shared };
    }
  });
});

const { BenchServer: servers } = await import("../../../components/azure/index.ts");
const shared = Object.create(servers.prototype);
