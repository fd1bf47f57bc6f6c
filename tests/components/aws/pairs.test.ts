/** Several clients and servers of an AWS stack: the resources of each, and the clients that servers admit. */
import { describe, expect, it } from "vitest";
import type { EgressPath } from "../../../components/shared/egress.ts";
import { endsOf } from "../ends.ts";
import { deployMocked } from "./deploy.ts";

async function deployed(topology: string, pairs = 3, options: Record<string, unknown> = {}) {
  const stack = await deployMocked([{ topology, ...options }], { pairs });
  const [path] = stack.result.paths as [EgressPath];
  const resolved = await endsOf(path);
  const admitted = (server: string) => {
    const { ingress } = stack.inputs("SecurityGroup", `${server}-sg`);
    const tests = ingress.filter(({ description }: { description: string }) => description === "test");
    return [...new Set<string>(tests.flatMap(({ cidrBlocks }: { cidrBlocks: string[] }) => cidrBlocks))];
  };
  return { stack, path, resolved, admitted };
}

describe("several pairs", () => {
  it("make the same resources as before for one", async () => {
    const [one, same] = [await deployMocked([{ topology: "direct" }]), await deployed("direct", 1)];
    expect(same.stack.aws()).toEqual(one.aws());
  });

  it("have a client and a server each, the clients in one subnet behind one jump host", async () => {
    const { stack, resolved } = await deployed("nat-instance");
    const machines = stack.aws().filter((resource) => resource.startsWith("Instance "));
    expect(machines.sort()).toEqual(
      [
        ...["", "-2", "-3"].flatMap((number) => [
          `Instance nat-instance-client${number}`,
          `Instance server${number}`,
        ]),
        ...["Instance jump", "Instance nat-instance-nat-machine"],
      ].sort(),
    );
    expect(resolved.map(({ client, server }) => [client, server])).toEqual([
      ["nat-instance-client", "server"],
      ["nat-instance-client-2", "server-2"],
      ["nat-instance-client-3", "server-3"],
    ]);
    expect(new Set(resolved.map(({ serverAddress }) => serverAddress)).size).toBe(3);
    const clients = ["", "-2", "-3"].map((number) =>
      stack.inputs("Instance", `nat-instance-client${number}`),
    );
    expect(new Set(clients.map(({ subnetId }) => subnetId)).size).toBe(1);
    expect(clients.map(({ privateIp }) => privateIp.split(".").at(-1))).toEqual(["4", "5", "6"]);
  });

  it.each(["nat-gateway", "nat-instance", "fck-nat"])(
    "share the addresses of %s, and the servers admit only those",
    async (topology) => {
      const { resolved, admitted } = await deployed(topology);
      const expected = resolved[0]!.expected;
      expect(resolved.map((one) => one.expected)).toEqual([expected, expected, expected]);
      for (const server of ["server", "server-2", "server-3"]) {
        expect(admitted(server)).toEqual(expected.map((address) => `${address}/32`));
      }
    },
  );

  it("have an Elastic IP each where the path is direct, and every server admits all", async () => {
    const { resolved, admitted, stack } = await deployed("direct");
    const addresses = resolved.flatMap(({ expected }) => expected);
    expect(new Set(addresses).size).toBe(3);
    expect(admitted("server-3")).toEqual(addresses.map((address) => `${address}/32`));
    expect(stack.aws().filter((resource) => /^Eip direct-/.test(resource))).toEqual([
      "Eip direct-client-2-eip",
      "Eip direct-client-3-eip",
      "Eip direct-eip",
    ]);
  });

  it.each(["intra-vpc", "vpc-peering"])(
    "of %s are seen with their own private addresses, at private servers",
    async (topology) => {
      const { resolved, admitted } = await deployed(topology, 2);
      const [first, second] = resolved.map(({ expected }) => expected[0] as string);
      expect(second).toBe(first!.replace(/\.4$/, ".5"));
      expect(admitted("server-2")).toEqual([`${first}/32`, `${second}/32`]);
      expect(resolved.every(({ serverAddress }) => /^10\./.test(serverAddress))).toBe(true);
    },
  );

  it("are refused where a security group could not admit them all", async () => {
    await expect(deployed("direct", 16)).resolves.toBeDefined();
    const both = [{ topology: "direct" }, { topology: "intra-vpc" }];
    await expect(deployMocked(both, { pairs: 15 })).rejects.toThrow(
      /egress-bench:topologies: with 15 pairs the servers would see 30 source addresses or more.*can admit 29; take fewer/,
    );
    const gateways = ["a", "b", "c", "d"].map((name) => ({
      topology: "nat-gateway",
      name,
      publicIpCount: 8,
    }));
    await expect(deployMocked(gateways)).rejects.toThrow(/would see 32 source addresses or more/);
    await expect(deployMocked(gateways.slice(1))).resolves.toBeDefined();
  });
});
