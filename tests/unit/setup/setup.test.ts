import { spawn } from "node:child_process";
import { once } from "node:events";
import { readdirSync, readFileSync, statSync } from "node:fs";
import { join } from "node:path";
import { afterEach, beforeEach, expect, it, vi } from "vitest";
import { createSetupProject, type SetupProject } from "../../helpers/setup-project.ts";

let project: SetupProject;
beforeEach(() => {
  project = createSetupProject();
  project.file("package.json", '{\n  "node": "24.21.0"\n}\n');
  project.file("package-lock.json", "{}");
  // Of what the stand-in for npm brings.
  const sum = project.bash("sha256sum </bin/true").stdout.slice(0, 64);
  const pins = ["x64", "arm64"].map((processor) => `${sum}  node-linux-${processor}@24.21.0\n`);
  project.file("setup/checksums", pins.join(""));
  project.file("plugins/command-standin/pulumi-resource-command", "#!/bin/sh\n", 0o755);
  project.program(
    "npm",
    "mkdir -p node_modules/.bin; sleep 0.01; cp /bin/true node_modules/.bin/node; echo >node_modules/.package-lock.json",
  );
  project.program("node", "echo v24.21.0");
  project.program("pulumi", "[[ $1 == version ]] && echo v3.250.0");
  project.program("pulumi-language-nodejs", "true");
  // What the machine has is the matter of system-tools.test.ts.
  project.file("setup/system-tools.sh", "ensure_system_tools() { :; }\n");
});
afterEach(() => project.dispose());

const SETUP = "bash setup/setup.sh";

it("sets everything up in the project alone, then does nothing the second time", () => {
  const first = project.bash(SETUP);
  expect({ status: first.status, stderr: first.stderr }).toEqual({ status: 0, stderr: "" });
  for (const line of first.stdout.trimEnd().split("\n")) expect(line).toMatch(/^setup: /);
  expect(project.bash("bash setup/with-tools.sh pulumi version").stdout).toBe("v3.250.0\n");
  expect(project.bash(SETUP)).toEqual({ status: 0, stdout: "", stderr: "" });
  expect(readdirSync(project.home)).toEqual([]);
});

it("waits for another set-up of the same project", async () => {
  project.bash(SETUP);
  const holder = spawn("flock", [join(project.root, "setup/setup.sh"), "sh", "-c", "echo held; read -r _"], {
    stdio: ["pipe", "pipe", "inherit"],
  });
  await once(holder.stdout, "data");
  const waiting = spawn("bash", ["setup/setup.sh"], {
    cwd: project.root,
    stdio: ["ignore", "pipe", "inherit"],
  });
  const [said] = (await once(waiting.stdout, "data")) as [Buffer];
  expect(said.toString()).toBe("setup: waiting for another set-up in this directory\n");
  const { ino } = statSync(join(project.root, "setup/setup.sh"));
  const blocked = new RegExp(`-> FLOCK .*:${ino} `);
  await vi.waitFor(() => expect(readFileSync("/proc/locks", "utf8")).toMatch(blocked), 5000);
  holder.stdin.end("\n");
  expect(await once(waiting, "close")).toEqual([0, null]);
});

it("stops at the part that fails", () => {
  project.program("npm", "echo offline; exit 1");
  const { status, stderr } = project.bash(SETUP);
  expect(status).toBe(1);
  expect(stderr).toContain("npm install failed.");
  expect(project.exists(".egress-bench")).toBe(false);
});
