/** Licences of the packages in package-lock.json, as each package declares its own: a person reviews each new one. */
import { readFileSync } from "node:fs";
import { expect, test } from "vitest";

interface Package {
  readonly license?: string;
  readonly dev?: boolean;
}

const lock = new URL("../../package-lock.json", import.meta.url);
const packages: Record<string, Package> = JSON.parse(readFileSync(lock, "utf8")).packages;

/** Licences for packages that are part of a product, with a notice at most. */
const permissive = [
  "MIT",
  "(MIT AND Zlib)",
  "ISC",
  "Apache-2.0",
  "BSD-2-Clause",
  "BSD-3-Clause",
  "0BSD",
  "Unlicense",
];
/** Further licences, for packages that only serve development and are not distributed. */
const forDevelopment = [
  ...permissive,
  ...["BlueOak-1.0.0", "MPL-2.0", "Python-2.0", "CC0-1.0", "CC-BY-3.0"],
  ...["MIT OR Apache-2.0", "(BSD-3-Clause AND Apache-2.0)"],
];
/** Packages without a licence in their manifest that npm can read, with the one in their licence file. */
const read: Readonly<Record<string, string>> = {
  "@logdna/tail-file": "MIT",
  buildcheck: "MIT",
  "cpu-features": "MIT",
  jstat: "MIT",
  ssh2: "MIT",
};

const licences = Object.entries(packages)
  .filter(([path]) => path !== "")
  .map(([path, { license, dev = false }]) => {
    const name = path.replace(/^.*node_modules\//, "");
    return { name, dev, licence: read[name] ?? license ?? "none" };
  });

test.each([
  ["what the library brings along", false, permissive],
  ["what development needs", true, forDevelopment],
] as const)("%s has licences that are known and fit", (_, ofDevelopment, allowed) => {
  const own = licences.filter(({ dev }) => dev === ofDevelopment);
  expect(own.length).toBeGreaterThan(0);
  expect(own.filter(({ licence }) => !allowed.includes(licence))).toEqual([]);
});

test("every exception is needed", () => {
  expect(Object.keys(read).filter((name) => !licences.some((one) => one.name === name))).toEqual([]);
});
