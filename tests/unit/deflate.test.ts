/** The deflate of user data: zlib inflates it to the same bytes, and it is smaller than zlib's best. */
import { deflateRawSync, inflateRawSync } from "node:zlib";
import fc from "fast-check";
import { expect, test } from "vitest";
import { natSetup } from "../../components/nat-instance/index.ts";
import { deflate } from "../../components/shared/deflate.ts";
import { samples } from "../helpers/samples.ts";

test("zlib reads any bytes back", () => {
  const bytes = fc.oneof(
    fc.uint8Array({ maxLength: 400 }),
    fc
      .array(fc.tuple(fc.constantFrom("ab", "nat", "\n", "0".repeat(300)), fc.nat(40)), { maxLength: 40 })
      .map((runs) => Buffer.from(runs.map(([word, times]) => word.repeat(times)).join(""))),
  );
  fc.assert(
    fc.property(bytes, (one) => Buffer.from(one).equals(inflateRawSync(deflate(one)))),
    { numRuns: samples(12) },
  );
});

test("a set-up script is smaller than by zlib, and the same each time", () => {
  const text = Buffer.from(natSetup({ privateCidrs: ["10.0.1.0/24"] }));
  const small = deflate(text);
  expect(inflateRawSync(small).equals(text)).toBe(true);
  expect(small.length).toBeLessThan(0.99 * deflateRawSync(text, { level: 9 }).length);
  expect(Buffer.from(deflate(text)).equals(Buffer.from(small))).toBe(true);
});
