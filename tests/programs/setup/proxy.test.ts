/** Set-up behind a proxy: the real curl, npm, Go and sudo's apt use it. The proxy is a real one that forwards nothing. */
import { type ChildProcess, spawn } from "node:child_process";
import { once } from "node:events";
import { chmodSync, existsSync } from "node:fs";
import { dirname, join } from "node:path";
import { fileURLToPath } from "node:url";
import { afterAll, beforeAll, expect, it } from "vitest";
import { createSetupProject, type SetupProject } from "../../helpers/setup-project.ts";

let project: SetupProject;
let proxy: ChildProcess;
let env: Record<string, string>;
beforeAll(async () => {
  project = createSetupProject();
  project.file("package.json", '{\n  "devDependencies": {\n    "node": "24.21.0",\n  }\n}\n');
  const program = fileURLToPath(new URL("../../helpers/refusing-proxy.ts", import.meta.url));
  proxy = spawn(process.execPath, [program, join(project.root, "asked")], {
    stdio: ["ignore", "pipe", "inherit"],
  });
  const [port] = (await once(proxy.stdout as NodeJS.ReadableStream, "data")) as [Buffer];
  const url = `http://127.0.0.1:${String(port).trim()}`;
  env = { http_proxy: url, https_proxy: url, npm_config_fetch_retries: "0" };
});
afterAll(() => {
  proxy.kill();
  project.dispose();
});

const asked = () => (project.exists("asked") ? project.read("asked") : "");

it("uses it for Pulumi's release", () => {
  project.parts(["pulumi-cli"], "download_pulumi .tools/pulumi || true", { env });
  expect(asked()).toContain("CONNECT get.pulumi.com:443\n");
  expect(project.read(".tools/log/pulumi-download.log")).toMatch(/curl: .*502/);
});

it("uses it for npm's packages", () => {
  const registry = "https://registry.example.com/";
  project.parts(["node"], 'mkdir -p .tools && fetch_npm "$ROOT/.tools" || true', {
    env: { ...env, npm_config_registry: registry },
  });
  expect(asked()).toContain("CONNECT registry.example.com:443\n");
});

const go = (process.env.PATH ?? "").split(":").find((directory) => existsSync(`${directory}/go`));
it.runIf(go !== undefined)("uses it for Go's modules", () => {
  const PATH = `${go}:/usr/bin:/bin`;
  project.parts(["pulumi-cli", "command-plugin"], 'build_command_plugin "$ROOT/.tools/plugin" || true', {
    env: { ...env, PATH, GOPROXY: "https://modules.example.com", GOSUMDB: "sum.golang.org" },
  });
  expect(asked()).toContain("CONNECT modules.example.com:443\n");
});

it.runIf(process.getuid?.() === 0)("passes it through sudo, which drops variables by default", () => {
  project.program("sudo", 'echo "$*"');
  for (const directory of [dirname(project.root), project.root]) chmodSync(directory, 0o777);
  const { stdout } = project.parts(["system-tools"], "as_root apt-get update", { env, uid: 65534 });
  expect(stdout).toBe("--preserve-env=http_proxy,https_proxy,no_proxy apt-get update\n");
});
