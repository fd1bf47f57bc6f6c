/**
 * A shallow clone, run by an account that is not root and has sudo: `up` and `destroy` of the lab. Where root runs the table the
 * account is one that nobody has, and its sudo a stand-in (`tests/helpers/without-root.sh`).
 */
import { execFileSync } from "node:child_process";
import { chmodSync, readFileSync, rmSync, symlinkSync, writeFileSync } from "node:fs";
import { dirname, join } from "node:path";
import { fileURLToPath } from "node:url";
import type { Results } from "../../bench/results/index.ts";
import { labName } from "../../components/local/lab-name.ts";
import { hostsOf } from "../helpers/lab-hosts.ts";
import { openLabStack } from "../helpers/lab-stack.ts";
import { guardLab } from "../helpers/left-behind.ts";
import { type Outcome, pulumiAs } from "./fault.ts";

const ACCOUNT = "65532";
const root = fileURLToPath(new URL("../../", import.meta.url));
const script = fileURLToPath(new URL("../helpers/without-root.sh", import.meta.url));
const plan = { name: "short", cases: [{ id: "victim", tool: "iperf3", durationSeconds: 1, bitrate: "20M" }] };

/** Measures and destroys a lab from the clone. */
export async function tryWithoutRoot(): Promise<Outcome> {
  const stack = await openLabStack({ topologies: ["nat-instance"], runId: "0", plan });
  const { workDir, envVars } = stack.stack.workspace;
  const engine = dirname(workDir);
  const clone = join(engine, "clone");
  execFileSync("git", ["clone", "--quiet", "--depth", "1", `file://${root}`, clone]);
  const project = join(workDir, "Pulumi.yaml");
  writeFileSync(project, readFileSync(project, "utf8").replace(`${root}index.ts`, `${clone}/index.ts`));
  const plugin = join(engine, "home/plugins/resource-command-v1.2.1/pulumi-resource-command");
  rmSync(plugin);
  symlinkSync(join(clone, "tools/command-standin/pulumi-resource-command"), plugin);
  chmodSync(engine, 0o755);
  execFileSync("chown", ["-R", `${ACCOUNT}:${ACCOUNT}`, engine]);
  const lab = labName(stack.stack.name, clone, envVars.PULUMI_BACKEND_URL);
  guardLab(lab);
  const by = ["unshare", "--mount", "sh", script, ACCOUNT, clone, root];
  const own = `${clone}/node_modules/.bin:${clone}/.tools/bin:${process.env.PATH}`;
  const run = (...args: string[]) =>
    pulumiAs(
      { by, environment: { PATH: own, HOME: engine, TMPDIR: engine, USER: "operator" } },
      stack,
      ...args,
    ).ended;
  try {
    const up = await run("up", "--yes", "--non-interactive", "--suppress-outputs");
    const results = up.code === 0 ? ((await stack.stack.outputs()).results?.value as Results) : null;
    const made = hostsOf(lab).length;
    const down = await run("destroy", "--yes", "--non-interactive");
    const left = hostsOf(lab).map(({ host }) => host);
    const saw = results?.cases.map(({ id, status }) => `${id}: ${status}`).join(", ");
    return {
      saw: saw ?? up.text.slice(-600),
      exit: String(up.code),
      left,
      goOn: "nothing to do",
      wrong: [
        ...(saw === "victim: ok" ? [] : [`it ended with ${up.code}: ${saw}`]),
        ...(made === 3 ? [] : [`${made} hosts were made`]),
        ...(down.code === 0 ? [] : [`destroy ended with ${down.code}: ${down.text.slice(-600)}`]),
      ],
    };
  } finally {
    await stack.dispose();
  }
}
