/** Compression of user data: what zlib makes of it again, and how small it is. */
import { inflateRawSync } from "node:zlib";
import fc from "fast-check";
import { expect, test } from "vitest";
import { deflate } from "../../components/aws/deflate.ts";
import { natSetup } from "../../components/nat-instance/index.ts";

const unpacked = (bytes: Uint8Array) => inflateRawSync(deflate(bytes));

test("zlib gets out what went in", () => {
  fc.assert(fc.property(fc.uint8Array({ maxLength: 2000 }), (bytes) => unpacked(bytes).equals(bytes)));
  const repetitive = fc.array(fc.constantFrom("a", "ab", "abc", "é", "\n  "), { maxLength: 3000 });
  fc.assert(
    fc.property(repetitive, (parts) => {
      const bytes = Buffer.from(parts.join(""));
      return unpacked(bytes).equals(bytes);
    }),
    { numRuns: 30 },
  );
});

test.each([257, 258, 259, 32_767, 32_768, 32_769, 70_000])(
  "matches of %i bytes, and as far apart",
  (length) => {
    const apart = Buffer.from(Array.from({ length }, (_, at) => (at * at) % 251));
    for (const bytes of [Buffer.alloc(length, 7), Buffer.concat([apart, apart])]) {
      expect(unpacked(bytes).equals(bytes)).toBe(true);
    }
  },
);

test("a set-up script is less than half as long", () => {
  const script = Buffer.from(natSetup({ privateCidrs: ["10.0.1.0/24"] }));
  expect(deflate(script).length).toBeLessThan(script.length / 2);
  expect(unpacked(script).equals(script)).toBe(true);
});
