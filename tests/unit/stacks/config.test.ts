/**
 * Valid and invalid configurations of a stack. Does not prove what Pulumi itself accepts: that is the engine tests' part.
 */
import * as pulumi from "@pulumi/pulumi";
import { beforeAll, describe, expect, test } from "vitest";
import { natInstanceSchema } from "../../../components/azure/nat-args.ts";
import { check, readStackConfig, readTopologies } from "../../../stacks/config.ts";
import { local } from "../../../stacks/local.ts";

beforeAll(() => {
  pulumi.runtime.setMocks(
    {
      newResource: ({ type }) => {
        throw new Error(`unexpected resource ${type}`);
      },
      call: ({ token }) => {
        throw new Error(`unexpected call ${token}`);
      },
    },
    "egress-bench",
    "some-stack",
  );
});

/** Reads a configuration in the engine's form: structured values as JSON text. */
function read(values: Record<string, unknown>) {
  const entries = Object.entries(values).map(([key, value]) => [
    key.includes(":") ? key : `egress-bench:${key}`,
    typeof value === "object" ? JSON.stringify(value) : String(value),
  ]);
  pulumi.runtime.setAllConfig(Object.fromEntries(entries));
  const config = readStackConfig();
  return { config, topologies: () => readTopologies(config, local) };
}

const good = { cloud: "local", topologies: ["direct", "nat-instance"] };

describe("a configuration", () => {
  test("needs a cloud and topologies; the rest has defaults", () => {
    const { config, topologies } = read(good);
    expect(config).toMatchObject({ stack: "some-stack", cloud: "local", runId: "1", settings: {} });
    expect(config.plan.name).toBe("quick");
    expect(config.pairs).toBe(1);
    expect(topologies()).toEqual([
      { name: "direct", topology: "direct", options: {} },
      { name: "nat-instance", topology: "nat-instance", options: expect.anything() },
    ]);
  });

  test("that is missing is reported with its expected place and the ready-made ones'", () => {
    expect(() => read({})).toThrow(
      /"some-stack" has no configuration: .*Pulumi\.some-stack\.yaml.*cp stacks/,
    );
  });

  test("tunes hosts only on request, and only with a known profile", () => {
    expect(read(good).config.tuning).toBe("none");
    expect(read({ ...good, tuning: "throughput" }).config.tuning).toBe("throughput");
    expect(() => read({ ...good, tuning: "fast" })).toThrow(/egress-bench:tuning: .*throughput.*got "fast"/);
  });

  test("may name one topology twice under different names", () => {
    const entries = [
      { topology: "direct", name: "one" },
      { topology: "direct", name: "two" },
    ];
    expect(
      read({ ...good, topologies: entries })
        .topologies()
        .map(({ name }) => name),
    ).toEqual(["one", "two"]);
  });

  test("has as many pairs as its plan needs", () => {
    const plan = { cases: [{ tool: "iperf3", durationSeconds: 5, pairs: 16 }] };
    expect(read({ ...good, pairs: 16, plan }).config).toMatchObject({ pairs: 16 });
  });

  test("keeps the sections of other clouds out", () => {
    const { config } = read({ ...good, azure: { location: "japaneast" }, local: { links: {} } });
    expect(config.settings).toEqual({ links: {} });
  });

  test.each(["203.0.113.7/32", ["203.0.113.7/32"]])("accepts a single CIDR block for SSH: %j", (given) => {
    const { ssh } = read({ ...good, "ssh:allowedCidrs": given }).config;
    expect(ssh.allowedCidrs).toEqual(["203.0.113.7/32"]);
  });

  test("leaves other namespaces alone", () => {
    expect(
      read({ ...good, "azure-native:location": "japaneast", "aws:region": "us-east-1" }).config.cloud,
    ).toBe("local");
  });

  const four = { cases: [{ tool: "iperf3", durationSeconds: 5, pairs: [2, 4] }] };
  test.each([
    [{ topologys: [] }, /egress-bench:topologys: is unknown; did you mean topologies\?$/m],
    [{ cloud: "gcp" }, /cloud: expected one of azure, aws, local, hosts; got "gcp"/],
    [{ topologies: [] }, /egress-bench:topologies/],
    [{ topologies: "direct" }, /egress-bench:topologies.*got "direct"/],
    [{ plan: "quik" }, /plan: .*quik.*quick/s],
    [{ runId: "a b" }, /egress-bench:runId.*got "a b"/],
    [{ pairs: 0 }, /egress-bench:pairs: expected at least 1; got "0"/],
    [{ pairs: 65 }, /egress-bench:pairs: expected at most 64; got "65"/],
    [{ pairs: 1.5 }, /egress-bench:pairs: .*whole number.*got "1.5"/],
    [
      { pairs: 2, plan: four },
      /plan: case tcp-egress-x4: pairs: got 4, but there are 2; set egress-bench:pairs to 4/,
    ],
    [{ "ssh:allowedCidr": "1.2.3.4/32" }, /ssh:allowedCidr: is unknown; did you mean allowedCidrs\?$/m],
  ])("with %j is refused", (change, message) => {
    expect(() => read({ ...good, ...change })).toThrow(message);
  });

  test.each(["cloud", "topologies"] as const)("without %s is refused", (key) => {
    const { [key]: _, ...rest } = good;
    expect(() => read(rest)).toThrow(`egress-bench:${key}`);
  });

  test("with an unknown key within a section is refused with that section's keys", () => {
    const section = { links: { client: { bandwidth: "1M" } } };
    expect(() => check(local.settings, section, "egress-bench:local")).toThrow(
      /egress-bench:local:links\.client\.bandwidth: is unknown; remove it: links\.client has rate, delayMs$/m,
    );
  });

  test("with a number beyond exact ones is refused in one line", () => {
    const schema = natInstanceSchema.pick({ publicIpCount: true });
    expect(() => check(schema, { publicIpCount: 2 ** 53 }, "topologies: nat-instance")).toThrow(
      /^[^\n]*\n[^\n]*publicIpCount: must be a whole number from 1 to 64; got 9007199254740992$/,
    );
  });

  const unknown = /"firewall" is not a topology of cloud "local".*direct, nat-instance/;
  test.each([
    [["firewall"], unknown],
    [["constructor"], /"constructor" is not a topology/],
    [["direct", "direct"], /"direct" is listed twice/],
    [[{ topology: "direct", size: 1 }], /topologies: direct.*size.*there are none$/m],
    [[{ topology: "direct", name: "A b" }], /name "A b" must be/],
    [[{ topology: "direct", name: "x".repeat(60) }], /must be 1 to 31/],
  ])("with topologies %j is refused", (topologies, message) => {
    expect(() => read({ ...good, topologies }).topologies()).toThrow(message);
  });
});
