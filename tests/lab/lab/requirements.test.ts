/** Machines that cannot carry a lab are refused with the missing tools and the remedy. */
import { spawnSync } from "node:child_process";
import { fileURLToPath } from "node:url";
import { afterEach, expect, test, vi } from "vitest";
import { assertLabMachine } from "../../../components/local/lab/requirements.ts";

const module = fileURLToPath(new URL("../../../components/local/lab/requirements.ts", import.meta.url));

/** A program that runs `first` once it has loaded the module, and prints why the machine is refused. */
function program(first: string): string {
  const load = `import(${JSON.stringify(module)})`;
  return `${load}.then((m) => { ${first}; m.assertLabMachine(); }).catch((e) => console.log(e.message))`;
}

afterEach(() => {
  vi.unstubAllGlobals();
});

test("this one is accepted", () => {
  expect(assertLabMachine).not.toThrow();
});

test("another operating system is refused", () => {
  vi.stubGlobal("process", Object.create(process, { platform: { value: "darwin" } }));
  expect(assertLabMachine).toThrow(/Linux network namespaces; this is darwin.*cloud stack/);
});

test("a user without root or sudo is refused", () => {
  const args = ["-e", program("process.setuid(65534)")];
  const { stdout } = spawnSync(process.execPath, args, { encoding: "utf8" });
  expect(stdout).toMatch(/needs root, or sudo without a password/);
});

test("missing tools are named, with their packages", () => {
  // In its own mount namespace, where the tools cannot be executed.
  const hide = "for tool in socat sockperf; do mount --bind /dev/null /usr/bin/$tool; done";
  const args = ["--mount", "sh", "-c", `${hide}; exec "$@"`, "sh", process.execPath, "-e", program("")];
  const { stdout } = spawnSync("unshare", args, { encoding: "utf8" });
  expect(stdout).toMatch(
    /socat: the SSH listener \(package socat\)\n {2}sockperf: measures round trips \(package sockperf\)\nRun `npm run setup`/,
  );
});
