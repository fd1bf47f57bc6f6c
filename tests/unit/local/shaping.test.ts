import fc from "fast-check";
import { describe, expect, test } from "vitest";
import { topologyAddresses } from "../../../components/local/addresses.ts";
import { shapingCommands } from "../../../components/local/lab/shaping.ts";

describe("a link's shape", () => {
  test("is left alone where nothing is asked", () => {
    expect(shapingCommands("eth0", {})).toEqual([]);
  });

  test("with a rate is a token bucket that holds a GSO packet, and 4 ms of a fast link", () => {
    const [slow] = shapingCommands("eth0", { bitsPerSecond: 1_000_000 });
    const [fast] = shapingCommands("eth0", { bitsPerSecond: 10_000_000_000 });
    expect(slow?.join(" ")).toContain("tbf rate 1000000bit burst 131072 latency 50ms");
    expect(fast?.join(" ")).toContain("burst 5000000");
  });

  test("with rate and delay has the delay within the bucket", () => {
    const commands = shapingCommands("eth0", { bitsPerSecond: 1e6, delayMs: 5 }).map((one) => one.join(" "));
    expect(commands).toHaveLength(2);
    expect(commands[1]).toMatch(/parent 1:1 netem delay 5ms/);
  });
});

describe("addresses of topologies", () => {
  test("never meet", () => {
    const index = fc.integer({ min: 1, max: 250 });
    fc.assert(
      fc.property(fc.tuple(index, index), ([a, b]) => {
        fc.pre(a !== b);
        const [one, other] = [topologyAddresses(a), topologyAddresses(b)].map((all) => Object.values(all));
        expect(one!.filter((address) => other!.includes(address))).toEqual([]);
      }),
    );
  });

  test.each([0, -1, 251, 1.5, Number.NaN])("of number %d are refused", (index) => {
    expect(() => topologyAddresses(index)).toThrow(/not a whole number from 1 to 250/);
  });
});
