import { writeFileSync } from "node:fs";
import { join } from "node:path";
import { afterEach, describe, expect, it, vi } from "vitest";
import { loadLivePrices } from "../../../cli/report/prices/load.ts";
import { findPrice } from "../../../report/index.ts";
import { azureQuery, priceService, reply } from "../../helpers/price-service.ts";

const service = priceService();
afterEach(() => vi.unstubAllEnvs());

describe("loadLivePrices", () => {
  const load = (change: object = {}) => {
    const request = {
      cloud: "azure" as const,
      cacheDir: service.cacheDir,
      now: new Date("2026-11-21T12:00:00Z"),
      regions: ["eastus"],
      ...azureQuery(service),
      ...change,
    };
    return loadLivePrices(request, request);
  };

  it("asks once a day, and fills up from the snapshot", async () => {
    service.handler = service.azure;
    const first = await load();
    expect(first.book).toMatchObject({ origin: "live", asOf: "2026-11-21" });
    expect(findPrice(first.book, "load-balancer-hour", "eastus")?.source).toContain("snapshot of");
    const asked = service.requests;
    const second = await load();
    expect(second.book.origin).toBe("cache");
    expect(service.requests).toBe(asked);
    const other = await load({ regions: ["westus"] });
    expect(other.book.origin).toBe("live");
    await load({ now: new Date("2026-11-23T12:00:00Z") });
    expect(service.requests).toBeGreaterThan(asked);
  });

  it("falls back to an older cache, else to the snapshot, and says so", async () => {
    service.handler = (_request, _body, response) => reply(response, "", 500);
    const none = await load();
    expect(none.book.origin).toBe("snapshot");
    expect(none.problems[0]).toMatch(
      /^Live prices of azure, eastus are not available .* got 500.*: the snapshot of .* is used\.$/,
    );
    service.handler = service.azure;
    await load();
    service.handler = (_request, _body, response) => reply(response, "", 500);
    const old = await load({ now: new Date("2026-12-24T12:00:00Z") });
    expect(old.book).toMatchObject({ origin: "cache", asOf: "2026-11-21" });
    expect(old.problems[0]).toContain("those of 2026-11-21 are used");
  });

  it("has the prices of several regions, those that hold everywhere once", async () => {
    service.handler = service.azure;
    const regions = ["eastus", "westus"];
    const { book, problems } = await load({ regions });
    const regionsOf = (meter: string) =>
      book.prices.flatMap(({ meter: other, region, source }) =>
        other === meter && !source.includes("snapshot of") ? [region] : [],
      );
    expect(regionsOf("nat-gateway-hour")).toEqual([null]);
    expect(regionsOf("vm-hour:Standard_D2ls_v5")).toEqual(regions);
    expect(book).toMatchObject({ origin: "live", asOf: "2026-11-21" });
    // The service's gaps are reported for each region.
    expect(problems.filter((one) => one.includes("firewall-hour"))).toEqual(
      regions.map((region) => expect.stringContaining(`firewall-hour in ${region}`)),
    );
  });

  it("has the other regions' prices if one region's are unavailable", async () => {
    service.handler = service.azure;
    await load();
    service.handler = (_request, _body, response) => reply(response, "", 500);
    const { book, problems } = await load({ regions: ["eastus", "westus"] });
    expect(book.origin).toBe("cache");
    expect(findPrice(book, "vm-hour:Standard_D2ls_v5", "eastus")).not.toBeNull();
    expect(findPrice(book, "vm-hour:Standard_D2ls_v5", "westus")).toBeNull();
    expect(problems.filter((one) => !one.includes(" in eastus: "))).toEqual([
      expect.stringMatching(/^Live prices of azure, westus are not available/),
    ]);
  });

  it("reports the service's gaps from the cache too", async () => {
    service.handler = service.azure;
    const live = await load();
    expect(live.problems).not.toEqual([]);
    const cached = await load();
    expect(cached.book.origin).toBe("cache");
    expect(cached.problems).toEqual(live.problems);
  });

  it("uses live prices that it cannot keep, and says so", async () => {
    service.handler = service.azure;
    writeFileSync(join(service.cacheDir, "file"), "");
    const { book, problems } = await load({ cacheDir: join(service.cacheDir, "file") });
    expect(book.origin).toBe("live");
    expect(problems.at(-1)).toMatch(/^The prices could not be kept for the next command: /);
  });

  it("ignores a broken cache", async () => {
    service.handler = service.azure;
    writeFileSync(join(service.cacheDir, "azure_eastus_Standard_D2ls_v5.json"), '{"cloud":"azure"');
    expect((await load()).book.origin).toBe("live");
  });

  it("asks AWS only with credentials", async () => {
    // Nothing outside this machine is contacted.
    vi.stubEnv("AWS_EC2_METADATA_DISABLED", "true");
    vi.stubEnv("AWS_CONFIG_FILE", join(service.cacheDir, "none"));
    vi.stubEnv("AWS_SHARED_CREDENTIALS_FILE", join(service.cacheDir, "none"));
    vi.stubEnv("AWS_ACCESS_KEY_ID", undefined);
    vi.stubEnv("AWS_PROFILE", undefined);
    const { book, problems } = await load({
      ...{ cloud: "aws", natSizes: ["t4g.micro"], regions: ["us-east-1"] },
    });
    expect(book.origin).toBe("snapshot");
    expect(problems[0]).toContain("no AWS credentials were found; log in (aws sso login");
    expect(service.requests).toBe(0);
  });
});
