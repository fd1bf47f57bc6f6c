/** How hosts get the packages that tools need. Installing them is proved in `tests/lab/cloud-init.test.ts`. */
import { spawnSync } from "node:child_process";
import { chmodSync, mkdirSync, mkdtempSync, readFileSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { afterAll, describe, expect, it } from "vitest";
import { tools } from "../../bench/tools/index.ts";
import { installAndPrepare, installMissing } from "../../components/benchmark/agent-install.ts";
import { rolePackages } from "../../components/shared/cloud-init.ts";

const directory = mkdtempSync(join(tmpdir(), "egress-bench-packages-"));
afterAll(() => rmSync(directory, { recursive: true }));

/** Runs a script as a user that is not root, with `sudo` that says what it was given, and a program `there`. */
function run(script: string) {
  const program = (name: string, text: string) => {
    writeFileSync(join(directory, name), `#!/bin/sh\n${text}\n`);
    chmodSync(join(directory, name), 0o755);
  };
  program("id", "echo 1000");
  program("sudo", 'echo "sudo $*"; /bin/cat');
  program("there", "");
  return spawnSync("/bin/sh", ["-e", "-c", script], { encoding: "utf8", env: { PATH: directory } });
}

describe("packages that a machine did not boot with", () => {
  it("are installed as root where they are missing", () => {
    const { status, stdout } = run(installMissing(["there", "missing"]));
    expect(status).toBe(0);
    expect(stdout).toMatch(/^sudo -kn sh\n/);
    expect(stdout).toContain('packages="there missing"');
  });

  it("are left alone where they are there", () => {
    expect(run(installMissing(["there"]))).toMatchObject({ status: 0, stdout: "" });
  });

  it("change nothing of what a host is prepared with where there are none", () => {
    const args = { digest: "0", tuning: "none", seconds: 110 } as const;
    expect(installAndPrepare({ ...args, packages: [] })).toBe(installAndPrepare(args));
  });
});

describe("programs that no package has", () => {
  const args = { digest: "0", tuning: "none", seconds: 110, isMachine: true } as const;
  const build = (name: string) => {
    const script = installAndPrepare({ ...args, builds: { [name]: "example.com/program@v1" } });
    return script.slice(
      script.indexOf("for program in"),
      script.indexOf("EOF_BUILD\nfi") + "EOF_BUILD\nfi".length,
    );
  };

  it("are built where they are missing, by a package's Go, and left alone where they are there", () => {
    expect(run(build("there"))).toMatchObject({ status: 0, stdout: "" });
    const { stdout } = run(build("missing"));
    expect(stdout).toMatch(/^sudo -kn sh\n/);
    expect(stdout).toContain('packages="golang-go"');
    expect(build("missing")).toContain("sh -s missing example.com/program@v1 <<'EOF_BUILD'");
  });

  it("are left out where Go is too old: their cases fail, and no other", () => {
    const script = readFileSync(
      new URL("../../components/benchmark/build-tools.sh", import.meta.url),
      "utf8",
    );
    const path = join(directory, "old-go");
    mkdirSync(path, { recursive: true });
    writeFileSync(join(path, "go"), "#!/bin/sh\necho go version go1.19.8 linux/amd64\n", { mode: 0o755 });
    const env = { PATH: `${path}:/usr/bin:/bin` };
    const old = spawnSync("/bin/sh", ["-s", "no-such-program", "m@v1"], {
      input: script,
      encoding: "utf8",
      env,
    });
    expect(old).toMatchObject({ status: 0, stderr: expect.stringContaining("docs/results.md#http") });
  });

  it("meet no nginx of its package's own on a machine, whose port 80 nobody asked for", () => {
    const script = installAndPrepare({ ...args, packages: ["nginx", "openssl"] });
    expect(script.indexOf("systemctl -q mask nginx.service")).toBeGreaterThan(0);
    expect(script.indexOf("systemctl -q mask nginx.service")).toBeLessThan(script.indexOf("apt-get"));
    // A lab's host would reach the systemd of the machine that it is on.
    expect(installAndPrepare({ ...args, isMachine: false, packages: ["nginx"] })).not.toContain("systemctl");
  });
});

it("a client's and a server's user data installs what it always did: else machines that are up were replaced", () => {
  expect(rolePackages.bench).toEqual(["python3", "iperf3", "sockperf", "sysstat", "ethtool"]);
});

it("set-up installs every tool's package, and its test lab finds it", () => {
  const table = readFileSync(new URL("../../setup/system-tools.sh", import.meta.url), "utf8");
  const rows = table.split("\n").map((line) => line.split("|").map((cell) => cell.trim()));
  const installed = new Set(rows.map(([, name]) => name));
  const wanted = Object.values(tools).flatMap(({ packages = [] }) => packages);
  expect(wanted.length).toBeGreaterThan(1);
  expect(wanted.filter((name) => !installed.has(name))).toEqual([]);
});
