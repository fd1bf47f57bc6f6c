/**
 * Quotas: their use by sizes, and the warnings for accounts with less. The tables of all stacks, from their resources, are
 * in tests/components.
 */
import { once } from "node:events";
import { createServer } from "node:http";
import type { AddressInfo } from "node:net";
import { describe, expect, it, onTestFinished } from "vitest";
import { vcpusByName } from "../../../bench/machines/vcpus.ts";
import { azureQuotas, unregistered } from "../../../stacks/quota/azure.ts";
import { awsDemand, azureDemand, azureFamily } from "../../../stacks/quota/quota-demand.ts";
import { shortfalls } from "../../../stacks/quota/shortfall.ts";

describe("vCPUs by name", () => {
  it.each<[string, number | null, string | null]>([
    ["Standard_D8ls_v5", 8, "standardDLSv5Family"],
    ["Standard_DS3_v2", 4, "standardDSv2Family"],
    ["Standard_DS5_v2", 16, "standardDSv2Family"],
    ["Standard_D14_v2", 16, "standardDv2Family"],
    ["Standard_D4s_v3", 4, "standardDSv3Family"],
    ["Standard_B2ats_v2", 2, "standardBasv2Family"],
    ["Standard_B2ls_v2", 2, "standardBsv2Family"],
    ["Standard_B4ps_v2", 4, "standardBpsv2Family"],
    ["Standard_B2s", 2, "standardBSFamily"],
    ["Standard_B1s", 1, "standardBSFamily"],
    ["Standard_F8s_v2", 8, "standardFSv2Family"],
    ["Standard_E32-16s_v5", 32, null],
    ["huge", null, null],
  ])("%s has %j of %j", (size, vcpus, family) => {
    expect(vcpusByName.azure(size)).toBe(vcpus);
    expect(azureFamily(size)).toBe(family);
  });

  // Those of every known size: inventory.test.ts.
  it("of bare metal are not known", () => {
    expect(vcpusByName.aws("m5.metal")).toBeNull();
  });
});

describe("demand", () => {
  it("adds up machines by family and region, and addresses", () => {
    const vm = (size: string, region: string) => ({
      type: "azure-native:compute:VirtualMachine",
      size,
      region,
    });
    const ip = { type: "azure-native:network:PublicIPAddress", size: null, region: "japaneast" };
    const all = azureDemand([
      vm("Standard_D8ls_v5", "japaneast"),
      vm("Standard_B2ats_v2", "japaneast"),
      vm("Standard_D8ls_v5", "japanwest"),
      ip,
    ]);
    expect(all.map(({ quota, region, amount }) => [region, quota, amount])).toEqual([
      ["japaneast", "StandardSkuPublicIpAddresses", 1],
      ["japaneast", "cores", 10],
      ["japaneast", "standardBasv2Family", 2],
      ["japaneast", "standardDLSv5Family", 8],
      ["japanwest", "cores", 8],
      ["japanwest", "standardDLSv5Family", 8],
    ]);
  });

  it("counts the machine of a group by its template", () => {
    const of = (type: string, size: string | null) => ({ type, size, region: null });
    const all = awsDemand([
      of("aws:ec2/instance:Instance", "c7g.8xlarge"),
      of("aws:ec2/launchTemplate:LaunchTemplate", "t4g.micro"),
      of("aws:autoscaling/group:Group", null),
      of("aws:ec2/eip:Eip", null),
      of("aws:ec2/instance:Instance", "m5.metal"),
    ]);
    expect(all.map(({ quota, amount }) => [quota, amount])).toEqual([
      ["L-0263D0A3", 1],
      ["L-1216C47A", 34],
    ]);
  });
});

describe("an account's shortages", () => {
  const demand = { quota: "standardDLSv5Family", title: "vCPUs", region: "japaneast", amount: 16 };
  const quota = (limit: number, used: number | null, more: object = {}) => ({
    quota: "StandardDLSv5Family",
    region: "japaneast",
    limit,
    used,
    ...more,
  });

  it.each<[ReturnType<typeof quota>, string[]]>([
    [quota(16, 0), []],
    [quota(16, null), []],
    [quota(10, 0), ["needs 16 of vCPUs (standardDLSv5Family) in japaneast; the limit is 10."]],
    [
      quota(20, 8),
      [
        "needs 16 of vCPUs (standardDLSv5Family) in japaneast; the limit is 20, and 8 are in use, this stack's own included where it is up.",
      ],
    ],
    [quota(0, 0, { region: "japanwest" }), []],
  ])("%j", (known, said) => {
    expect(shortfalls([demand], [known])).toEqual(said);
  });
});

/** Azure's API for quotas, on this machine. Not proved: that Azure answers in this way. */
async function fakeArm(answer: (path: string) => [status: number, body: unknown]) {
  const asked: { path: string; authorization: string | undefined }[] = [];
  const server = createServer((request, response) => {
    const path = String(request.url);
    asked.push({ path, authorization: request.headers.authorization });
    const [status, body] = answer(path);
    response.writeHead(status, { "content-type": "application/json" }).end(JSON.stringify(body));
  }).listen(0, "127.0.0.1");
  await once(server, "listening");
  onTestFinished(() => void server.close());
  const endpoint = `http://127.0.0.1:${(server.address() as AddressInfo).port}`;
  return { asked, login: { endpoint, subscriptionId: "sub-1", token: "token" } };
}

describe("Azure's answers", () => {
  const usage = (value: string, currentValue: number, limit: number) => ({
    value: [{ name: { value, localizedValue: value }, currentValue, limit, unit: "Count" }],
  });

  it("become quotas of each region, asked with the provider's token", async () => {
    const { asked, login } = await fakeArm((path) => [
      200,
      path.includes("Microsoft.Compute")
        ? usage("cores", 4, 10)
        : usage("StandardSkuPublicIpAddresses", 1, 20),
    ]);
    expect(await azureQuotas(login, ["japaneast"])).toEqual([
      { quota: "cores", region: "japaneast", limit: 10, used: 4 },
      { quota: "StandardSkuPublicIpAddresses", region: "japaneast", limit: 20, used: 1 },
    ]);
    expect(asked[0]).toEqual({
      path: "/subscriptions/sub-1/providers/Microsoft.Compute/locations/japaneast/usages?api-version=2024-11-01",
      authorization: "Bearer token",
    });
  });

  it("names unregistered providers", async () => {
    const { login } = await fakeArm((path) => [
      200,
      { registrationState: path.includes("Network") ? "NotRegistered" : "Registered" },
    ]);
    expect(await unregistered(login, ["Microsoft.Compute", "Microsoft.Network"])).toEqual([
      "Microsoft.Network",
    ]);
  });

  it("that are refusals name the request, without the token", async () => {
    const { login } = await fakeArm(() => [403, { error: { code: "AuthorizationFailed" } }]);
    const failure = await azureQuotas(login, ["japaneast"]).catch(String);
    expect(failure).toMatch(/Microsoft\.Compute\/locations\/japaneast\/usages: status 403/);
    expect(failure).not.toContain("token");
  });
});
