/** Modules loaded by the lab's program, which a topology starts some fifteen times, mostly spending its time on loading. */
import { spawnSync } from "node:child_process";
import { fileURLToPath } from "node:url";
import { expect, test } from "vitest";

const root = fileURLToPath(new URL("../../../", import.meta.url));

/** Writes the paths of all loaded modules to stderr. */
const tell = `import { registerHooks } from "node:module";
registerHooks({ load(url, context, next) { process.stderr.write(url + "\\n"); return next(url, context); } });`;

test("it loads neither the plan's tools nor a package", () => {
  const hook = `data:text/javascript,${encodeURIComponent(tell)}`;
  const args = ["--import", hook, `${root}components/local/lab/main.ts`, "hosts", "{}"];
  const { stderr } = spawnSync(process.execPath, args, { encoding: "utf8" });
  const files = stderr.split("\n").filter((line) => line.startsWith("file:"));
  expect(files).toContain(`file://${root}components/local/lab/hosts.ts`);
  // Elsewhere five files load nothing: what quotes words for a shell, and reads its files, limits, blocks of addresses, and keys.
  const own =
    /\/(components\/(local\/lab|nat-instance)\/|components\/shared\/(cidr|key-pair|shell)\.ts$|bench\/(shell|topologies\/limits)\.ts$)/;
  expect(files.filter((file) => !own.test(file))).toEqual([]);
});
