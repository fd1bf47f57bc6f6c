/** What results say about a host: what it told, and what only the deployment knows. */
import * as pulumi from "@pulumi/pulumi";
import { expect, it } from "vitest";
import { hostFacts } from "../../components/host-facts.ts";

const facts = {
  host: "client",
  role: "client",
  kernel: "6.8.0",
  os: null,
  architecture: null,
  cpus: 2,
  memoryBytes: null,
  congestionControl: null,
  interfaces: [],
  sysctls: {},
  tools: {},
  notes: [],
};
const told = JSON.stringify({ version: 1, facts });
const read = (...args: Parameters<typeof hostFacts>) =>
  new Promise((resolve) => hostFacts(...args).apply(resolve));

it("is both", async () => {
  const placed = { size: "c7g.large", region: pulumi.output("us-east-1"), zone: pulumi.output("us-east-1a") };
  expect(await read(placed, told)).toMatchObject({
    kernel: "6.8.0",
    size: "c7g.large",
    region: "us-east-1",
    zone: "us-east-1a",
  });
});

it("is null where nobody knows", async () => {
  expect(await read({}, told)).toMatchObject({ cpus: 2, size: null, region: null, zone: null });
});

it.each([undefined, "", "no JSON", "{}"])("is nothing without the host's own: %j", async (text) => {
  expect(await read({ size: "c7g.large" }, text)).toBeNull();
});
