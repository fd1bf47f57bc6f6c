import { chmodSync } from "node:fs";
import { dirname } from "node:path";
import { afterEach, beforeEach, describe, expect, it } from "vitest";
import { createSetupProject, type SetupProject } from "../../helpers/setup-project.ts";

/** Places of the machine that the part may touch, moved into the temporary project. */
const SANDBOX =
  "SYSTEM_PATH=$ROOT/system; POLICY=$ROOT/etc/policy-rc.d; CLOUD_INIT_DISABLED=$ROOT/etc/cloud/cloud-init.disabled";

let project: SetupProject;
beforeEach(() => {
  project = createSetupProject();
  project.file("etc/.keep", "");
  project.program("systemctl", "true");
});
afterEach(() => project.dispose());

const ensure = (uid?: number, what = "ensure_system_tools", env: Readonly<Record<string, string>> = {}) =>
  project.parts(["system-tools"], `${SANDBOX}; ${what}`, uid === undefined ? { env } : { uid, env });

/** Puts every program of the table on the system's PATH, except these. */
function installAllBut(...missing: string[]): void {
  const names = project
    .parts(["system-tools"], 'echo "$SYSTEM_TOOLS$TEST_TOOLS"')
    .stdout.matchAll(/^(\S+) +\|/gm);
  for (const [, name = ""] of names) {
    if (!missing.includes(name)) project.file(`system/${name}`, "#!/bin/sh\n", 0o755);
  }
}

/** An apt-get; `install` is the text of its installation. */
function aptGet(install = "true"): void {
  project.file("system/apt-get", "", 0o755);
  project.program("apt-get", `case " $* " in *" install "*) env >env; ${install} ;; esac`);
}

it("is silent and runs nothing if nothing is missing", () => {
  installAllBut();
  aptGet();
  expect(ensure()).toEqual({ status: 0, stdout: "", stderr: "" });
  expect(project.calls("apt-get")).toEqual([]);
});

it("lists missing programs and their purpose without apt, and stops", () => {
  installAllBut("iperf3", "tc");
  const { status, stderr } = ensure();
  expect(status).toBe(1);
  expect(stderr.split("\n")).toEqual([
    "setup: error: programs are missing, and there is no apt-get to install them with:",
    "setup:   iperf3 (iperf3): measures TCP and UDP throughput, loss and jitter",
    "setup:   tc (iproute2): shapes the links of the local lab: rate and delay",
    `setup:   Install them with your system's package manager, so that they are on ${project.root}/system.`,
    "",
  ]);
});

it("gives a package and a reason for every program", () => {
  const lines = project
    .parts(["system-tools"], 'echo "$SYSTEM_TOOLS$TEST_TOOLS"')
    .stdout.split("\n")
    .filter(Boolean);
  expect(lines.length).toBeGreaterThan(15);
  for (const line of lines) expect(line).toMatch(/^[a-z0-9-]+ +\| [a-z0-9-]+ +\| \S.{8,}$/);
});

describe("with apt, as root", () => {
  it("installs the packages of missing programs, each once, without questions", () => {
    installAllBut("jq", "ps", "sysctl");
    aptGet();
    const { status, stdout } = ensure();
    expect(status).toBe(0);
    expect(stdout).toContain("jq (jq): reads the results in a shell");
    const [update, install] = project.calls("apt-get");
    expect(update).toMatch(/ update$/);
    expect(install).toMatch(/ install --yes --no-install-recommends jq procps$/);
    expect(project.read("env")).toMatch(/^DEBIAN_FRONTEND=noninteractive$/m);
    expect(project.exists("etc/cloud/cloud-init.disabled")).toBe(false);
  });

  it("prevents just the new packages' services from starting, now and at boot, and leaves no policy behind", () => {
    installAllBut("sshd");
    const ask = (unit: string) => `"$POLICY" ${unit} start; echo "${unit} $?" >>asked`;
    aptGet(["ssh", "ssh.service", "ssh.socket", "nginx", "iperf3.service"].map(ask).join("; "));
    project.program("env", 'shift; POLICY=$PWD/etc/policy-rc.d; export POLICY; exec "$@"');
    expect(ensure().status).toBe(0);
    expect(project.read("asked")).toBe(
      "ssh 101\nssh.service 101\nssh.socket 101\nnginx 0\niperf3.service 0\n",
    );
    expect(project.exists("etc/policy-rc.d")).toBe(false);
    expect(project.calls("systemctl")).toContain("--quiet disable ssh.service");
  });

  it("denies nothing after a crash has left the policy behind", () => {
    project.parts(["system-tools"], `${SANDBOX}; hold_units ssh.service`);
    expect(project.bash("etc/policy-rc.d ssh start").status).toBe(0);
  });

  it("touches neither services nor policy for a package without services", () => {
    installAllBut("jq");
    aptGet("ls etc >listed");
    ensure();
    expect(project.read("listed")).toBe("");
    expect(project.calls("systemctl")).toEqual([]);
  });

  it("keeps an existing policy", () => {
    const policy = project.file("etc/policy-rc.d", "#!/bin/sh\nexit 101\n", 0o755);
    installAllBut("sshd");
    aptGet();
    expect(ensure().status).toBe(0);
    expect(project.bash(`cat '${policy}'`).stdout).toBe("#!/bin/sh\nexit 101\n");
  });

  it("marks cloud-init as disabled before it is installed", () => {
    installAllBut("cloud-init");
    aptGet("[ -e etc/cloud/cloud-init.disabled ] || exit 1");
    expect(ensure(undefined, "ensure_test_tools").status).toBe(0);
  });

  it("leaves out the tests' own programs by default", () => {
    installAllBut("chromium");
    aptGet();
    ensure();
    expect(project.calls("apt-get")).toEqual([]);
    ensure(undefined, "ensure_test_tools");
    expect(project.calls("apt-get").join()).toMatch(/install .*chromium/);
  });

  it("continues when apt-get update fails, and shows apt's own error when the installation fails", () => {
    installAllBut("jq");
    project.file("system/apt-get", "", 0o755);
    project.program("apt-get", 'echo "E: Unable to locate package"; exit 100');
    const { status, stdout, stderr } = ensure();
    expect(status).toBe(1);
    expect(stdout).toContain("apt-get update reported errors");
    expect(stderr).toContain("| E: Unable to locate package");
    expect(stderr).toContain("apt-get could not install: jq");
  });
});

describe.runIf(process.getuid?.() === 0)("with apt, not as root", () => {
  beforeEach(() => {
    installAllBut("jq");
    aptGet();
    for (const directory of [project.root, project.home]) chmodSync(directory, 0o777);
    for (const directory of [dirname(project.root)]) chmodSync(directory, 0o777);
  });

  it("uses sudo", () => {
    project.program("sudo", '"$@"');
    expect(ensure(65534).status).toBe(0);
    expect(project.calls("sudo").at(-1)).toMatch(/apt-get .* install .* jq$/);
  });

  it("names the remedy if there is no sudo", () => {
    // The machine of the tests may have one.
    project.bash("mkdir bin && ln -s /usr/bin/* bin/ && rm -f bin/sudo");
    const PATH = `${project.programs}:${project.root}/bin`;
    const { status, stderr } = ensure(65534, undefined, { PATH });
    expect(status).toBe(1);
    expect(stderr).toContain("this needs root and there is no sudo");
    expect(stderr).toContain("npm run setup");
  });
});
