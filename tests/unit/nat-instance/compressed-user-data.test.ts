/** Compressed user data: what cloud-init unpacks, and the same bytes everywhere. */
import { createHash } from "node:crypto";
import { gunzipSync } from "node:zlib";
import fc from "fast-check";
import { expect, test } from "vitest";
import { natSetup } from "../../../components/nat-instance/index.ts";
import { gzipBase64 } from "../../../components/shared/gzip.ts";

const unpacked = (text: string) => gunzipSync(Buffer.from(gzipBase64(text), "base64")).toString();

test("gunzip gets out what went in", () => {
  fc.assert(fc.property(fc.string({ unit: "grapheme", maxLength: 3000 }), (text) => unpacked(text) === text));
});

test("a set-up script is less than half as long", () => {
  const script = natSetup({ privateCidrs: ["10.0.1.0/24"] });
  expect(Buffer.from(gzipBase64(script), "base64").length).toBeLessThan(script.length / 2);
});

test("no time is in it, and another release of the compressor would be noticed before machines are replaced", () => {
  const text = Array.from({ length: 2000 }, (_, at) => `line ${(at * at) % 251}`).join("\n");
  const bytes = Buffer.from(gzipBase64(text), "base64");
  expect([...bytes.subarray(4, 8)]).toEqual([0, 0, 0, 0]);
  expect(createHash("sha256").update(bytes).digest("hex")).toMatchInlineSnapshot(
    `"38a05852e611a8660ec05575af6771757dbf38067d4dbc8b6a28d969a780d862"`,
  );
});
