import { spawn } from "node:child_process";
import { once } from "node:events";
import { readdirSync, readFileSync, statSync } from "node:fs";
import { join } from "node:path";
import { afterEach, beforeEach, describe, expect, it, vi } from "vitest";
import { createSetupProject, type SetupProject } from "../../helpers/setup-project.ts";

let project: SetupProject;
beforeEach(() => {
  project = createSetupProject();
  project.file("package.json", '{\n  "node": "24.21.0"\n}\n');
  project.file("package-lock.json", "{}");
  // Checksum of the stand-in npm's Node.
  const sum = project.bash("sha256sum </bin/true").stdout.slice(0, 64);
  const pins = ["x64", "arm64"].map((processor) => `${sum}  node-linux-${processor}@24.21.0\n`);
  project.file("setup/checksums", pins.join(""));
  project.file("tools/command-standin/pulumi-resource-command", "#!/bin/sh\n", 0o755);
  project.program(
    "npm",
    "mkdir -p node_modules/.bin; sleep 0.01; cp /bin/true node_modules/.bin/node; echo >node_modules/.package-lock.json",
  );
  project.program("node", "echo v24.21.0");
  project.program("pulumi", "[[ $1 == version ]] && echo v3.250.0");
  project.program("pulumi-language-nodejs", "true");
  // The machine's own tools are tested in system-tools.test.ts.
  project.file("setup/system-tools.sh", "offer_system_tools() { :; }\n");
});
afterEach(() => project.dispose());

const SETUP = "bash setup/setup.sh";

it("sets everything up inside the project, then does nothing the second time", () => {
  const first = project.bash(SETUP);
  expect({ status: first.status, stderr: first.stderr }).toEqual({ status: 0, stderr: "" });
  for (const line of first.stdout.trimEnd().split("\n")) expect(line).toMatch(/^setup: /);
  expect(project.bash("bash setup/with-tools.sh pulumi version").stdout).toBe("v3.250.0\n");
  expect(project.bash(SETUP)).toEqual({ status: 0, stdout: "", stderr: "" });
  expect(readdirSync(project.home)).toEqual([]);
});

it.runIf(process.getuid?.() === 0)("names a clone that another user owns, before anything is done", () => {
  project.bash("chmod 755 . ..");
  expect(project.bash(SETUP, { uid: 65534 })).toEqual({
    status: 1,
    stdout: "",
    stderr:
      `setup: error: ${project.root} belongs to another user, and nobody cannot write it.\n` +
      "setup:   Use a clone of your own, or run this as the user who owns it.\n",
  });
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

describe("with a Pulumi to build", () => {
  /** Waits for a file, so that its maker has to run at the same time. */
  const waitFor = (file: string) => `for i in {1..100}; do [[ ! -e ${file} ]] || break; sleep 0.05; done`;
  beforeEach(() => {
    for (const name of ["pulumi", "pulumi-language-nodejs"]) project.bash(`rm '${project.programs}/${name}'`);
    project.program("curl", "exit 6");
    project.program(
      "go",
      `case "$*" in
        "env GOVERSION") echo go1.26.0 ;;
        env*) echo "$HOME/$2" ;;
        list*) ;;
        mod*) touch "$HOME/building" ;;
        build*) while [[ $1 != -o ]]; do shift; done; printf '#!/bin/sh\\nexit 1\\n' >"$2"; chmod 755 "$2" ;;
        *) exit 1 ;;
      esac`,
    );
  });
  const npm = (end: string) =>
    project.program(
      "npm",
      `${waitFor('"$HOME/building"')}; [[ -e $HOME/building ]] || exit 1
      mkdir -p node_modules/.bin; cp /bin/true node_modules/.bin/node; echo >node_modules/.package-lock.json; ${end}`,
    );

  it("builds while npm fetches packages", () => {
    npm("true");
    expect(project.bash(SETUP)).toMatchObject({ status: 0, stderr: "" });
    expect(project.exists(".tools/pulumi-3.250.0/pulumi")).toBe(true);
    expect(project.calls("go").filter((call) => call.startsWith("build"))).toHaveLength(2);
  });

  it("leaves no building process when the set-up stops", () => {
    project.program(
      "go",
      `case "$*" in env*) echo "$HOME/$2" ;; build*) echo $$ >"$HOME/building"; exec sleep 1000 ;; esac`,
    );
    npm("exit 1");
    expect(project.bash(SETUP).status).toBe(1);
    const pid = project.bash('cat "$HOME/building"').stdout.trim();
    // An ended one may still wait for its parent.
    expect(project.bash(`ps -o stat= -p ${pid}`).stdout.trim()).toMatch(/^(Z.*)?$/);
  });

  it("builds nothing if the release can be downloaded", () => {
    project.program("curl", "exit 0");
    project.program("npm", "exit 1");
    expect(project.bash(SETUP).status).toBe(1);
    expect(project.calls("go").filter((call) => /^(mod|build)/.test(call))).toEqual([]);
  });
});

describe("without apt-get", () => {
  beforeEach(() => {
    project.bash(`cp '${join(import.meta.dirname, "../../../setup/system-tools.sh")}' setup/`);
    // A machine with only the basic system.
    project.bash("sed -i 's,^SYSTEM_PATH=.*,SYSTEM_PATH=/nowhere,' setup/system-tools.sh");
  });

  it("a page or a report asks for Node alone, and builds and fetches no Pulumi", () => {
    const { status, stderr } = project.bash(`rm -rf .tools/bin; ${SETUP} --packages`);
    expect({ status, stderr, built: project.exists(".tools/bin") }).toEqual({
      status: 0,
      stderr: "",
      built: false,
    });
    expect(project.bash("bash setup/with-tools.sh --without-pulumi echo ran").stdout).toBe("ran\n");
    expect(project.bash("bash setup/with-tools.sh echo ran").stderr).toContain("the tools are not set up");
  });

  it("a cloud asks for Node and Pulumi only", () => {
    expect(project.bash(`${SETUP} --cloud`)).toMatchObject({ status: 0, stderr: "" });
    expect(project.bash(`${SETUP} --cloud`)).toEqual({ status: 0, stdout: "", stderr: "" });
  });

  it("set-up on its own does what it can, and names the omitted parts", () => {
    const { status, stdout } = project.bash(SETUP);
    expect(stdout).toContain("setup: without the local lab's tools, because there is no apt-get");
    expect(status).toBe(0);
  });

  it("the lab stops, with the missing tools", () => {
    const { status, stderr } = project.bash(`${SETUP} --lab`);
    expect(stderr).toContain("iperf3 (iperf3): measures TCP and UDP throughput");
    expect(status).toBe(1);
  });
});

describe("on macOS", () => {
  const env = { OSTYPE: "darwin23" };
  beforeEach(() => {
    // The machine's own Node, and none of GNU's programs that macOS lacks.
    project.program("npm", "mkdir -p node_modules; sleep 0.01; echo >node_modules/.package-lock.json");
    for (const name of ["flock", "timeout", "sha256sum"]) {
      project.program(name, `echo "${name} is not on macOS" >&2; exit 127`);
    }
    project.file(
      "hide",
      'command() { case $2 in flock | timeout | sha256sum) return 1 ;; *) builtin command "$@" ;; esac; }\n',
    );
  });
  const setup = (option: string) =>
    project.bash(`${SETUP} ${option}`, { env: { ...env, BASH_ENV: `${project.root}/hide` } });

  it.each(["", "--cloud"])("needs neither apt nor GNU's programs: %j", (option) => {
    expect(setup(option)).toMatchObject({ status: 0, stderr: "" });
    expect(project.calls("npm")).toHaveLength(1);
    expect(setup(option)).toEqual({ status: 0, stdout: "", stderr: "" });
  });

  it("reports that there is no lab, with the alternatives", () => {
    const { status, stderr } = setup("--lab");
    expect(stderr).toContain("the local lab is made of Linux network namespaces, and this is darwin23.");
    expect(stderr).toContain('docs/setup.md, "The lab in a container"');
    expect(status).toBe(1);
  });

  it("asks for a newer Node if the machine's is too old", () => {
    project.program("node", "echo v20.1.0");
    const { status, stderr } = setup("--cloud");
    expect(stderr).toContain("Node.js 22.18.0 or later is needed; this machine's is v20.1.0.");
    expect(status).toBe(1);
  });
});

it.each([
  ["--help", 0, /^Usage: npm run setup/, /^$/],
  ["--tset", 2, /^$/, /unknown option --tset; see: npm run setup -- --help/],
])("%s installs nothing", (option, status, stdout, stderr) => {
  const ended = project.bash(`${SETUP} ${option}`);
  expect(ended).toEqual({
    status,
    stdout: expect.stringMatching(stdout),
    stderr: expect.stringMatching(stderr),
  });
  expect(project.calls("npm")).toEqual([]);
});

describe("npm run", () => {
  const scripts = ["local", "compare", "report", "advise", "choose", "contribute", "test", "guest", "bench"];
  beforeEach(() => {
    project.bash(
      `mkdir -p docs/reference && cp '${join(import.meta.dirname, "../../../docs/reference/commands.md")}' docs/reference/`,
    );
  });

  it.each(scripts)("%s -- --help needs no set-up", (script) => {
    const { status, stdout, stderr } = project.bash(`bash setup/run.sh ${script} --stack x --help`);
    expect(stdout).toMatch(new RegExp(`^Usage: (egress-bench|npm run|npm) ${script} `));
    expect({ status, stderr }).toEqual({ status: 0, stderr: "" });
    expect(project.calls("npm")).toEqual([]);
    expect(project.exists(".tools")).toBe(false);
  });

  it.each([
    ["local --stack x --stak y", 2, "unknown option --stak"],
    ["build --stak", 2, "unknown option --stak"],
    ["build", 1, "first: npm run setup"],
  ])("%s is refused before any set-up", (command, wanted, reason) => {
    const { status, stderr } = project.bash(`rm -rf node_modules; bash setup/run.sh ${command}`);
    expect({ status, stderr }).toEqual({ status: wanted, stderr: expect.stringContaining(reason) });
    expect(project.exists(".tools")).toBe(false);
  });

  it("pulumi -- --help needs no set-up, and says how to get Pulumi's own", () => {
    const { status, stdout, stderr } = project.bash("bash setup/run.sh pulumi up --help");
    expect(stdout).toMatch(/^Usage: npm run pulumi[\s\S]*npm run setup -- --cloud/);
    expect({ status, stderr }).toEqual({ status: 0, stderr: "" });
    expect(project.exists(".tools")).toBe(false);
  });

  it.each([
    ["choose", "--packages"],
    ["advise --gb 9", "--packages"],
    ["report a.json", "--packages"],
    ["report --stack x", "--cloud"],
    ["compare --cloud azure --stack local", "--cloud"],
    ["compare --cloud local", "--lab"],
    ["compare --stack x --cloud=local", "--lab"],
    ["local --stack x", "--lab"],
    ["bench", "--guest"],
    ["guest", "--guest-system"],
    ["nat-image --format vhd", "--image"],
    ["test -t x", "--tests"],
    ["test tests/unit/a.test.ts", "--tests"],
    ["test --all", "--all-tests"],
    ["test --project guest", "--all-tests"],
    ["test tests/guest/idle.test.ts", "--all-tests"],
    ["test --project system", "--guest-system"],
    ["pulumi stack ls", "--cloud"],
  ])("%s asks set-up for what it needs: %s", (command, needs) => {
    project.file("setup/setup.sh", 'echo "asked $*"');
    project.file("setup/with-tools.sh", 'echo "$*"');
    const { stdout, stderr } = project.bash(`bash setup/run.sh ${command}`);
    expect(stderr).toBe(`asked ${needs}\n`);
    expect(stdout.trim().endsWith(command.split(" ").slice(1).join(" "))).toBe(true);
  });

  it("keeps stdout for the command, even during set-up", () => {
    const node = project.file("node", '#!/bin/sh\necho "ran $*"\n', 0o755);
    project.bash(`sum=$(sha256sum <node); sed -i "s/^[0-9a-f]*/\${sum%% *}/" setup/checksums`);
    project.program(
      "npm",
      `mkdir -p node_modules/.bin; sleep 0.01; cp '${node}' node_modules/.bin/; echo >node_modules/.package-lock.json`,
    );
    const { stdout, stderr, status } = project.bash("bash setup/run.sh report 'a b.json'");
    expect(stderr).toMatch(/^setup: npm packages/m);
    expect({ status, stdout }).toEqual({
      status: 0,
      stdout: `ran --max-semi-space-size=2 --heap-growing-percent=20 --expose-gc ${project.root}/cli/main.ts report a b.json\n`,
    });
  });
});
