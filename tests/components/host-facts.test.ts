/** What results say about a host: what it told, and what only the deployment knows. */
import * as pulumi from "@pulumi/pulumi";
import { expect, it } from "vitest";
import { hostFacts } from "../../components/benchmark/host-facts.ts";
import { silentFacts } from "../unit/bench/fixture.ts";

const facts = { ...silentFacts("client", "client"), kernel: "6.8.0", cpus: 2 };
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

it("has the zone that the cloud chose of the machine itself, where nobody asked for one", async () => {
  const placement = { zone: "2", zoneId: null, group: null, faultDomain: "0" };
  const placed = JSON.stringify({ version: 1, facts: { ...facts, placement } });
  expect(await read({}, placed)).toMatchObject({ zone: "2", placement });
  expect(await read({ zone: pulumi.output("1") }, placed)).toMatchObject({ zone: "1", placement });
});

const burst = { cpu: null, network: { baselineBitsPerSecond: 32e6, peakBitsPerSecond: 5e9 } };

it("has of bursts what the deployment knows, whatever the host says", async () => {
  expect(await read({ burst: pulumi.output(burst) }, told)).toMatchObject({ burst });
  const liar = JSON.stringify({ version: 1, facts: { ...facts, burst } });
  expect(await read({}, liar)).toMatchObject({ burst: null });
});

it("is null where nobody knows", async () => {
  expect(await read({}, told)).toMatchObject({ cpus: 2, size: null, region: null, zone: null, burst: null });
});

it.each([undefined, "", "no JSON", "{}"])("is nothing without the host's own: %j", async (text) => {
  expect(await read({ size: "c7g.large" }, text)).toBeNull();
});
