/** Installation of the packages that tools need on hosts. Really done in `tests/lab/cloud-init.test.ts`. */
import { spawnSync } from "node:child_process";
import { chmodSync, mkdirSync, readFileSync, rmSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { describe, expect, it } from "vitest";
import { tools } from "../../bench/tools/index.ts";
import { agentSources } from "../../components/benchmark/agent-sources.ts";
import { rolePackages } from "../../components/shared/cloud-init.ts";
import { temporaryDirectory } from "../helpers/temporary.ts";

const directory = temporaryDirectory();

/**
 * Prepares a host with the agent's own script, as a user without root, with a `sudo` that prints its arguments, and a
 * program `there`. @param script With the machine's paths replaced by the test's.
 */
function prepare(settings: readonly string[], script = sources["prepare-host.sh"] ?? "") {
  const program = (name: string, text: string) => {
    writeFileSync(join(directory, name), `#!/bin/sh\n${text}\n`);
    chmodSync(join(directory, name), 0o755);
  };
  program("id", "echo 1000");
  program("sudo", 'echo "sudo $*"; case $2 in sh) /bin/cat >/dev/null ;; esac');
  program("cut", 'exec /usr/bin/cut "$@"');
  program("sh", 'echo "sh $*"');
  program("timeout", 'echo "$*: $(/bin/cat)"');
  program("there", "");
  return spawnSync("/bin/sh", ["-c", script, "prepare-host.sh", "seconds=110", ...settings], {
    input: "the specification\n",
    encoding: "utf8",
    env: { PATH: directory },
    cwd: directory,
  });
}

const sources = agentSources();
const PREPARED = "-k 5 110 python3 agent.py prepare: the specification";

/** Lines that {@link prepare} prints if all is well. */
function said(settings: readonly string[], script?: string) {
  writeFileSync(join(directory, "install-packages.sh"), sources["install-packages.sh"] ?? "");
  const { status, stdout, stderr } = prepare(settings, script);
  expect({ status, stderr }).toEqual({ status: 0, stderr: "" });
  return stdout.trimEnd().split("\n");
}

it("the agent prepares its host by its settings, and refuses an unknown setting", () => {
  expect(said([])).toEqual([PREPARED]);
  expect(said(["machine", "untune"])).toEqual(["sh undo-tuning.sh", "sh start-at-boot.sh", PREPARED]);
  expect(prepare(["packges=there"])).toMatchObject({
    status: 2,
    stderr: "prepare-host.sh: unknown setting packges=there\n",
  });
});

describe("packages that a machine did not boot with", () => {
  it("are installed as root if missing", () => {
    expect(said(["packages=there missing"])).toEqual(["sudo -kn sh -s there missing", PREPARED]);
  });

  it("equal those that the user data's script installs", () => {
    expect(sources["install-packages.sh"]).toContain('\npackages="$*"\n');
  });

  it("are not touched if present", () => {
    expect(said(["packages=there"])).toEqual([PREPARED]);
  });

  it("end the preparation if they are unavailable", () => {
    rmSync(join(directory, "install-packages.sh"));
    const { status, stdout } = prepare(["packages=missing"]);
    expect(status).not.toBe(0);
    expect(stdout).toBe("");
  });
});

describe("programs that no package has", () => {
  it("are built with a packaged Go if missing, and not touched if present", () => {
    expect(said(["builds=there example.com/there@v1"])).toEqual([PREPARED]);
    const builds = "there example.com/there@v1 missing example.com/program@v1";
    expect(said([`builds=${builds}`])).toEqual([
      "sudo -kn sh -s golang-go",
      `sh build-tools.sh ${builds}`,
      PREPARED,
    ]);
  });

  it("are left out if Go is too old: only their cases fail", () => {
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

  it("run without the package's own nginx service, which would open port 80", () => {
    const script = (sources["prepare-host.sh"] ?? "").replace("/run/systemd/system", directory);
    const installed = "sudo -kn sh -s nginx openssl";
    expect(said(["machine", "packages=nginx openssl"], script)).toEqual([
      "sudo -kn systemctl -q mask nginx.service",
      installed,
      "sh start-at-boot.sh",
      PREPARED,
    ]);
    // A lab's host would reach the systemd of its machine.
    expect(said(["packages=nginx openssl"], script)).toEqual([installed, PREPARED]);
  });
});

it("a client's and a server's user data installs what the agent and the usual tools need, and nothing else", () => {
  expect(rolePackages.bench).toEqual(["python3", "iperf3", "sockperf", "ethtool"]);
});

it("set-up installs every tool's package, and its test lab finds it", () => {
  const table = readFileSync(new URL("../../setup/system-tools.sh", import.meta.url), "utf8");
  const rows = table.split("\n").map((line) => line.split("|").map((cell) => cell.trim()));
  const installed = new Set(rows.map(([, name]) => name));
  const wanted = Object.values(tools).flatMap(({ packages = [] }) => packages);
  expect(wanted.length).toBeGreaterThan(1);
  expect(wanted.filter((name) => !installed.has(name))).toEqual([]);
});
