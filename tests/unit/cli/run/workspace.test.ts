/** Changes that commands make to a person's own stack file: the deployed run, removed together with it. */
import { execFileSync } from "node:child_process";
import { mkdirSync, readFileSync, writeFileSync } from "node:fs";
import { fileURLToPath } from "node:url";
import { expect, test } from "vitest";
import { parse } from "yaml";
import { forgetStack, recordRun } from "../../../../cli/pulumi/workspace.ts";
import { temporaryDirectory } from "../../../helpers/temporary.ts";

const directory = temporaryDirectory();

const workspace = { project: `${directory}/project`, stackFiles: `${directory}/stacks`, environment: {} };
for (const room of [workspace.project, workspace.stackFiles]) mkdirSync(room);

test.each([
  ["lines", "config:\n  egress-bench:cloud: local\n"],
  ["lines after a comment", "# mine\nconfig: # of the lab\n  egress-bench:cloud: local\n"],
  ["Windows' lines", "config:\r\n  egress-bench:cloud: local\r\n"],
  ["braces", "config: { egress-bench:cloud: local }\n"],
  ["tight braces", "encryptionsalt: v1:x\nconfig: {egress-bench:cloud: local}\n"],
])("the run is in a file of %s, and is removed with the stack", async (_, text) => {
  const file = `${workspace.stackFiles}/Pulumi.one.yaml`;
  writeFileSync(file, text);
  for (const run of ["1", "2"]) {
    recordRun("one", workspace, run);
    const { config } = parse(readFileSync(file, "utf8"));
    expect(config).toEqual({ "egress-bench:cloud": "local", "egress-bench:runId": run });
  }
  const removeStack = async () => {};
  await forgetStack({ name: "one", workspace: { removeStack } } as never, workspace);
  expect(readFileSync(file, "utf8")).toBe(text);
});

test("a file that Pulumi has rewritten has one run", () => {
  const file = `${workspace.stackFiles}/Pulumi.anew.yaml`;
  for (const text of ["config:\n  egress-bench:cloud: local\n", "config: { egress-bench:cloud: local }\n"]) {
    writeFileSync(file, text);
    recordRun("anew", workspace, "1");
    writeFileSync(file, readFileSync(file, "utf8").replace(/ egress-bench:runId:/, " 'egress-bench:runId':"));
    recordRun("anew", workspace, "2");
    expect(parse(readFileSync(file, "utf8")).config["egress-bench:runId"]).toBe("2");
  }
});

test("a run that a person has set stays", () => {
  const file = `${workspace.stackFiles}/Pulumi.own.yaml`;
  const text = 'config:\n  egress-bench:runId: "mine"\n';
  writeFileSync(file, text);
  recordRun("own", workspace, "1");
  expect(readFileSync(file, "utf8")).toBe(text);
});

test("no call of Pulumi gets what a person set for their own, which could leave all deployed", () => {
  const bin = fileURLToPath(new URL("../../../../cli/pulumi/bin", import.meta.url));
  writeFileSync(`${directory}/pulumi`, "#!/bin/sh\nenv | grep ^PULUMI | sort\n", { mode: 0o755 });
  const ours = { PULUMI_OPTION_SKIP_PLUGIN_PRE_INSTALL: "true", PULUMI_OPTION_SUPPRESS_OUTPUTS: "true" };
  const env = {
    ...ours,
    PULUMI_OPTION_EXCLUDE: "**",
    PULUMI_OPTION_PREVIEW_ONLY: "true",
    PULUMI_STACK: "other",
  };
  const PATH = `${bin}:${directory}:/usr/bin:/bin`;
  const shown = execFileSync(`${bin}/pulumi`, { encoding: "utf8", env: { ...env, PATH } });
  expect(shown).toBe(
    Object.keys(ours)
      .map((name) => `${name}=true\n`)
      .join(""),
  );
});
