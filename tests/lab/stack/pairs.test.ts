/**
 * Several clients and servers at once, with real parts, through a NAT instance whose link is the limit. Proves that they
 * start together and are summed; not speed.
 */
import { afterAll, beforeAll, describe, expect, test } from "vitest";
import { allowedSkewMs } from "../../../bench/assemble/pairs.ts";
import type { CaseResult, Results } from "../../../bench/results/index.ts";
import { type LabStack, openLabStack, shortCase } from "../../helpers/lab-stack.ts";
import { savingAtEnd } from "../../helpers/pulumi.ts";

const LINK_BITS_PER_SECOND = 160e6;
// Shorter cases have too few whole seconds in common if a busy machine starts a pair late.
const SECONDS = 5;
const three = shortCase("three", { pairs: 3, durationSeconds: SECONDS, bitrate: "unlimited" });
const plan = {
  name: "pairs",
  cases: [three, shortCase("udp", { protocol: "udp", bitrate: "2M", pairs: 3 })],
};

let lab: LabStack;
let results: Results;
beforeAll(async () => {
  lab = await openLabStack(
    {
      topologies: ["nat-instance"],
      pairs: 3,
      local: { links: { server: { rate: LINK_BITS_PER_SECOND } } },
      plan,
    },
    { environment: savingAtEnd },
  );
  ({ results } = await lab.up());
});
afterAll(() => lab.dispose());

function find(id: string, from = results): CaseResult {
  return from.cases.find((one) => one.id === id)!;
}

describe("a case of three pairs", () => {
  test("is one result, the sum of three servers' received data", () => {
    const { failure, measurement, pairs } = find("three");
    expect(failure).toBeNull();
    expect(pairs?.map(({ client, server }) => [client, server])).toEqual([
      ["nat-instance-client", "server"],
      ["nat-instance-client-2", "server-2"],
      ["nat-instance-client-3", "server-3"],
    ]);
    expect(Math.min(...pairs!.map(({ bitsPerSecond }) => bitsPerSecond!))).toBeGreaterThan(0);
    expect(measurement?.streams).toHaveLength(3);
    expect(measurement?.series.length).toBeGreaterThanOrEqual(3);
  });

  test("fills exactly the shared link", () => {
    const { bitsPerSecond } = find("three").measurement!;
    expect(bitsPerSecond).toBeGreaterThan(0.75 * LINK_BITS_PER_SECOND);
    expect(bitsPerSecond).toBeLessThan(1.1 * LINK_BITS_PER_SECOND);
  });

  test("starts together, and reports the skew", () => {
    const skews = find("three").pairs!.map(({ startSkewMs }) => startSkewMs!);
    expect(Math.min(...skews)).toBe(0);
    expect(Math.max(...skews)).toBeLessThanOrEqual(allowedSkewMs({ durationSeconds: SECONDS }));
    // Three may be equal to a tenth of a millisecond on a quiet machine; those of two cases are not.
    const others = find("udp").pairs!.map(({ startSkewMs }) => startSkewMs!);
    expect(new Set([...skews, ...others]).size).toBeGreaterThan(1);
  });

  test("samples every host once", () => {
    expect(
      find("three")
        .hosts.map(({ host, problem }) => [host, problem])
        .sort(),
    ).toEqual(
      ["nat-instance-box", ...["nat-instance-client", "server"].flatMap((name) => [name, ...more(name)])]
        .sort()
        .map((host) => [host, null]),
    );
  });

  test("proves the path of each client", () => {
    expect(find("three").pairs?.map(({ sourceIp }) => sourceIp)).toEqual(Array(3).fill("198.19.1.1"));
    expect(results.topologies[0]?.path).toMatchObject({ status: "proved", sourceIps: ["198.19.1.1"] });
  });

  test("counts all datagrams, and adds the paced rates", () => {
    const { failure, measurement, pairs } = find("udp");
    expect(failure).toBeNull();
    const each = pairs!.map(({ packets }) => packets!);
    expect(Math.min(...each)).toBeGreaterThan(0);
    expect(measurement!.packets).toBe(each.reduce((sum, one) => sum + one));
    // A paced pair is as fast in the common time as in its own, however far apart they began.
    const rates = pairs!.map(({ bitsPerSecond }) => bitsPerSecond!);
    const sum = rates.reduce((total, one) => total + one);
    expect(Math.abs(measurement!.bitsPerSecond! / sum - 1)).toBeLessThan(0.1);
    expect(measurement!.lostPercent).toBeGreaterThanOrEqual(0);
  });
});

function more(name: string): string[] {
  return [2, 3].map((number) => `${name}-${number}`);
}

describe("the state", () => {
  test("names few resources for each host and each pair of a case, in any number", () => {
    const { checkpoint } = JSON.parse(lab.storedState());
    const resources = checkpoint.latest.resources as { urn: string; dependencies?: string[] }[];
    const named = (end: RegExp) =>
      resources.filter(({ urn }) => end.test(urn)).map(({ dependencies = [] }) => dependencies.length);
    expect(named(/-agent-files$/)).toEqual([]);
    expect(named(/-agent$/)).toEqual(Array(7).fill(1));
    expect(named(/::nat-instance:(three|udp)(:|$)/)).toEqual(Array(6).fill(1));
  });
});

describe("a pair that fails", () => {
  test("fails the case with its name, starts no pair, and the next case runs", async () => {
    lab.configure({ plan: { ...plan, cases: [{ ...three, streams: 2 }, shortCase("next")] } });
    // Its traffic would reach the server from another address than the NAT instance's.
    lab.onHost(
      "nat-instance-box",
      "nft add table ip wrong; nft 'add chain ip wrong out { type nat hook postrouting priority 0; }'; nft add rule ip wrong out ip saddr 198.18.1.3 snat to 198.19.1.77; ip address add 198.19.1.77/32 dev eth1",
    );
    lab.onHost("server-router", "ip route add 198.19.1.77/32 dev eth1");
    const { results: second } = await lab.up();
    const { failure, measurement, pairs } = find("three", second);
    expect(failure).toMatchObject({ class: "path-mismatch" });
    expect(failure?.message).toMatch(
      /^pair 2 of 3 \(nat-instance-client-2 to server-2\): .*saw 198\.19\.1\.77/,
    );
    expect(measurement).toBeNull();
    expect(pairs?.map((pair) => pair.failure?.class)).toEqual(["not-run", "path-mismatch", "not-run"]);
    expect(pairs?.[0]?.failure?.message).toContain("pair 2 cannot take part");
    expect(find("next", second).status).toBe("ok");
  });
});

describe("more pairs than Pulumi starts at a time", () => {
  test("are refused before anything changes", async () => {
    await expect(lab.stack.preview({ color: "never", parallel: 2 })).rejects.toThrow(
      /plan: 3 pairs start at once, and Pulumi runs 2 operations at a time; use `pulumi up --parallel 3`/,
    );
  });
});
