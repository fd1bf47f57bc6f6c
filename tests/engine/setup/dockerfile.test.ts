/** docs/examples/lab.Dockerfile under a linter. Not proved: that it builds, since no image can be built here. */
import { readFileSync } from "node:fs";
import { createRequire } from "node:module";
import { join } from "node:path";
import { fileURLToPath } from "node:url";
import { expect, it } from "vitest";
import { fetchedPackage } from "../../helpers/fetched-packages.ts";

const root = fileURLToPath(new URL("../../../", import.meta.url));
const file = readFileSync(join(root, "docs/examples/lab.Dockerfile"), "utf8");

/** Findings of Docker's own language server: hadolint is no npm package. */
function lint(text: string): string[] {
  const { validate } = createRequire(import.meta.url)(
    join(fetchedPackage("dockerfile-utils", "0.16.3"), "lib/main.js"),
  ) as { validate(content: string): readonly { readonly message: string }[] };
  return validate(text).map(({ message }) => message);
}

it("has no finding of the linter", () => {
  expect(lint(file)).toEqual([]);
});

it.each([
  ["an unknown instruction", file.replace("WORKDIR", "WORKDIRECTORY")],
  ["no base image", file.replace(/^FROM .*$/m, "")],
  ["an instruction without arguments", file.replace("COPY . .", "COPY")],
  ["two entry points", `${file}ENTRYPOINT ["sh"]\n`],
])("which would find %s", (_, broken) => {
  expect(lint(broken)).not.toEqual([]);
});

it("starts from an image of this project's own Node version", () => {
  const { devDependencies } = JSON.parse(readFileSync(join(root, "package.json"), "utf8"));
  expect(file).toMatch(
    new RegExp(`^FROM node:${devDependencies.node.replaceAll(".", "\\.")}-bookworm-slim$`, "m"),
  );
});
