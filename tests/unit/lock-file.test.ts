/**
 * package-lock.json pins the packages of every platform, so that `npm ci` accepts it: those of package.json, all their
 * dependencies, and the optional packages of other platforms, which npm left out here.
 *
 * That npm agrees is proved by tests/release/npm-ci.test.ts.
 */
import { readFileSync } from "node:fs";
import { expect, test } from "vitest";

interface Package {
  readonly version?: string;
  readonly integrity?: string;
  readonly dependencies?: Readonly<Record<string, string>>;
  readonly devDependencies?: Readonly<Record<string, string>>;
  readonly optionalDependencies?: Readonly<Record<string, string>>;
  readonly peerDependencies?: Readonly<Record<string, string>>;
  readonly peerDependenciesMeta?: Readonly<Record<string, { optional?: boolean }>>;
}

const read = (file: string) => JSON.parse(readFileSync(new URL(`../../${file}`, import.meta.url), "utf8"));
const packages: Readonly<Record<string, Package>> = read("package-lock.json").packages;

/** Required dependencies of a package, without optional peers. */
function wanted(one: Package): string[] {
  const peers = Object.keys(one.peerDependencies ?? {}).filter(
    (name) => one.peerDependenciesMeta?.[name]?.optional !== true,
  );
  return [
    ...Object.keys({ ...one.dependencies, ...one.devDependencies, ...one.optionalDependencies }),
    ...peers,
  ];
}

/** Where npm puts a dependency of the package at `path`: beside it or beside one of its parents. */
function places(path: string, name: string): string[] {
  const parts = path === "" ? [] : path.split("/node_modules/");
  return Array.from({ length: parts.length + 1 }, (_, up) =>
    [...parts.slice(0, parts.length - up), name]
      .join("/node_modules/")
      .replace(/^(?!node_modules)/, "node_modules/"),
  );
}

test("no dependency of a package is missing, on any platform", () => {
  const missing = Object.entries(packages).flatMap(([path, one]) =>
    wanted(one)
      .filter((name) => !places(path, name).some((place) => place in packages))
      .map((name) => `${name} of ${path || "package.json"}`),
  );
  expect(missing).toEqual([]);
});

test("it belongs to this package.json", () => {
  const manifest = read("package.json");
  for (const kind of ["dependencies", "devDependencies", "peerDependencies", "engines"]) {
    expect(packages[""]).toHaveProperty(kind, manifest[kind]);
  }
});

test("every package is pinned to a version and a checksum", () => {
  const loose = Object.entries(packages).filter(
    ([path, { version, integrity }]) => path !== "" && !(version && integrity?.startsWith("sha512-")),
  );
  expect(loose.map(([path]) => path)).toEqual([]);
});

test("Pulumi's CLI and its language host share versions of modules, so that each is compiled once", () => {
  const versions = (part: string) => {
    const text = readFileSync(new URL(`../../setup/pulumi/${part}/go.mod`, import.meta.url), "utf8");
    return new Map([...text.matchAll(/^\t(\S+) (v\S+)/gm)].map(([, name, version]) => [name, version]));
  };
  const [cli, languageHost] = [versions("cli"), versions("language-nodejs")];
  // The CLI's module stopped including the language host after that one's version.
  const shared = [...languageHost].filter(
    ([name]) => cli.has(name) && name !== "github.com/pulumi/pulumi/sdk/v3",
  );
  expect(shared.length).toBeGreaterThan(40);
  expect(shared.filter(([name, version]) => cli.get(name) !== version)).toEqual([]);
});
