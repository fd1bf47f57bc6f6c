/** Resources of the lab's components, under mocks. Does not prove that they work: the lab tests do. */

import { gunzipSync } from "node:zlib";
import * as pulumi from "@pulumi/pulumi";
import { describe, expect, test } from "vitest";
import type { Lab } from "../../../components/local/index.ts";
import { mocks } from "../../../components/testing.ts";
import { known } from "../ends.ts";

const made: { readonly type: string; readonly name: string; readonly inputs: Record<string, unknown> }[] = [];

void pulumi.runtime.setMocks(
  mocks({
    newResource: ({ type, name, inputs }) => {
      if (type !== "command:local:Command" && !type.startsWith("egress-bench:")) {
        throw new Error(`unexpected resource ${type}`);
      }
      made.push({ type, name, inputs });
      return undefined;
    },
  }),
);

/** Makes both topologies once for all tests. */
const deployment = (async () => {
  const lab = await import("../../../components/local/index.ts");
  const { SshKeyPair } = await import("../../../components/shared/ssh-key-pair.ts");
  const shared: Lab = { name: "mocked", operatorKey: new SshKeyPair("operator-key") };
  const server = lab.benchServer("server", shared);
  const direct = new lab.DirectEgress("direct", { server, index: 1 });
  const nat = new lab.NatInstance("nat", { server, index: 2, serverLink: { bitsPerSecond: 1e9 } });
  const pairs = [direct, nat].map((egress) => new lab.BenchPair(egress.topology, { server, egress }));
  await known(
    pulumi.all(pairs.flatMap((pair) => pair.path.ready.map((ready) => (ready as pulumi.CustomResource).id))),
  );
  return { direct, nat, pairs };
})();

/** The JSON document of a lab command. */
function specOf(name: string): Record<string, unknown> {
  const stdin = made.find((one) => one.type === "command:local:Command" && one.name === name)?.inputs.stdin as
    | { value?: string }
    | string
    | undefined;
  return JSON.parse(typeof stdin === "object" ? (stdin.value ?? "") : (stdin ?? ""));
}

function linkOf(host: string): { shape: unknown; ends: { routes?: unknown }[] } {
  return specOf(host).link as ReturnType<typeof linkOf>;
}

describe("the lab's topologies", () => {
  test("make these hosts and boots, and nothing else: a link is made with a host", async () => {
    await deployment;
    const commands = made.filter(({ type }) => type === "command:local:Command").map(({ name }) => name);
    expect(commands.sort()).toEqual(
      [
        "operator-key",
        ...["server", "direct-box", "direct-client", "nat-box", "nat-instance-client"],
        ...["direct-box-boot", "nat-box-boot"],
      ].sort(),
    );
  });

  test("have the client's source address without NAT, and the NAT instance's with one", async () => {
    const { direct, nat } = await deployment;
    expect(direct.expectedSourceIps).toEqual(["198.18.1.2"]);
    expect(nat.expectedSourceIps).toEqual(["198.19.2.1"]);
  });

  test("give the server a route to the private subnet only without NAT", async () => {
    await deployment;
    const serverRoutes = (box: string) => linkOf(box).ends[1]?.routes;
    expect(serverRoutes("direct-box")).toEqual([
      { to: "198.19.1.1/32" },
      { to: "198.18.1.0/24", via: "198.19.1.1" },
    ]);
    expect(serverRoutes("nat-box")).toEqual([{ to: "198.19.2.1/32" }]);
  });

  test("give the NAT instance the set-up script of a cloud's machine", async () => {
    await deployment;
    const { natSetup } = await import("../../../components/nat-instance/index.ts");
    const { observedBy } = await import("../../../components/nat-instance/cloud-machine.ts");
    const privateCidrs = ["198.18.2.0/24"];
    const bootOf = (name: string) =>
      gunzipSync(Buffer.from(specOf(`${name}-box-boot`).script as string, "base64")).toString();
    expect(bootOf("nat")).toContain(natSetup({ ...observedBy(privateCidrs, {}), privateCidrs }));
    expect(bootOf("direct")).toContain("bridges=eth0\n");
    expect(bootOf("direct")).not.toContain("masquerade");
  });

  test("shape the given link", async () => {
    await deployment;
    expect(linkOf("nat-box").shape).toEqual({ bitsPerSecond: 1e9 });
    expect(linkOf("nat-instance-client").shape).toEqual({});
  });

  test("keep keys out of command lines", async () => {
    await deployment;
    const text = made.map(({ inputs }) => `${inputs.create} ${inputs.delete}`).join("\n");
    expect(text).not.toContain("private ");
  });

  test("pass none of their text to root's shell, whatever it contains", async () => {
    const { labCommand } = await import("../../../components/local/lab-command.ts");
    const lab = `it's "$(touch /nowhere/x)"; reboot`;
    labCommand("odd", { operation: "host-up", spec: { lab }, triggers: [], undo: "host-down" }, {});
    await expect.poll(() => made.find(({ name }) => name === "odd")).toBeDefined();
    const { inputs } = made.find(({ name }) => name === "odd")!;
    expect(inputs.create).toMatch(/main\.[jt]s'? host-up$/);
    expect(inputs.delete).toMatch(/main\.[jt]s'? host-down$/);
  });
});

describe("several pairs", () => {
  test("have a server each behind one router, and clients in one private subnet", async () => {
    const { pairs } = await deployment;
    const lab = await import("../../../components/local/index.ts");
    const before = made.length;
    const far = new lab.BenchServers("far", { lab: pairs[0]!.server.lab, count: 3 });
    const args = { server: far.gateway, serverLink: { bitsPerSecond: 1e8 } };
    const ends = { server: far.servers[0], moreServers: far.servers.slice(1), serversReady: far.ready };
    const nat = new lab.NatInstance("many-nat", { ...args, index: 3 });
    const direct = new lab.DirectEgress("many-direct", { ...args, index: 4 });
    const paths = [nat, direct].map(
      (egress) => new lab.BenchPair(`many-${egress.topology}`, { ...ends, egress }).path,
    );
    await known(
      pulumi.all(paths.flatMap(({ ready }) => ready.map((one) => (one as pulumi.CustomResource).id))),
    );
    const names = made
      .slice(before)
      .filter(({ type, name }) => type === "command:local:Command" && !name.endsWith("-key"))
      .map(({ name }) => name);
    const hosts = ["", "-2", "-3"].flatMap((number) => [
      `far${number}`,
      `many-nat-instance-client${number}`,
      `many-direct-client${number}`,
    ]);
    expect(names.sort()).toEqual(
      [
        ...[...hosts, "far-router", "many-nat-box", "many-direct-box"],
        ...["many-nat-box-boot", "many-direct-box-boot", "far-router-boot"],
      ].sort(),
    );
    // One shaped link a topology, whichever server a client talks to.
    expect(linkOf("many-nat-box")).toMatchObject({
      shape: { bitsPerSecond: 1e8 },
      ends: [{ host: "many-nat-box" }, { host: "far-router", address: "198.18.0.254/32" }],
    });
    expect(linkOf("far-2").shape).toEqual({});
    expect(
      paths.map(({ extraPairs = [] }) =>
        extraPairs.map(({ client, server, serverAddress, expectedSourceIps }) => [
          client.name,
          server.name,
          serverAddress,
          expectedSourceIps,
        ]),
      ),
    ).toEqual([
      [
        ["many-nat-instance-client-2", "far-2", "198.18.0.2", ["198.19.3.1"]],
        ["many-nat-instance-client-3", "far-3", "198.18.0.3", ["198.19.3.1"]],
      ],
      [
        ["many-direct-client-2", "far-2", "198.18.0.2", ["198.18.4.3"]],
        ["many-direct-client-3", "far-3", "198.18.0.3", ["198.18.4.4"]],
      ],
    ]);
  });

  test("have addresses within their subnets only", async () => {
    const { clientAddress, serverAddress, topologyAddresses } = await import(
      "../../../components/local/index.ts"
    );
    expect(clientAddress(7, 1)).toBe(topologyAddresses(7).client);
    expect(() => clientAddress(7, 254)).toThrow(/number: 254 is not a whole number from 1 to 200/);
    expect(() => serverAddress(0)).toThrow(/number: 0 is not a whole number/);
  });
});

describe("a lab host", () => {
  test.each([
    ["server with a space", "ok"],
    ["-server", "ok"],
    ["x".repeat(65), "ok"],
    ["server", "../etc"],
  ])("named %j in lab %j is refused", async (name, labName) => {
    const { benchServer } = await import("../../../components/local/index.ts");
    const { pairs } = await deployment;
    const lab = { ...pairs[0]!.server.lab, name: labName };
    expect(() => benchServer(name, lab)).toThrow(/cannot name a lab host; use 1 to 64/);
  });
});
