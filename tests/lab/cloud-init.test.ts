/** User data under the real cloud-init, in this machine's release; a cloud's image has a newer one. */
import { execFileSync, spawnSync } from "node:child_process";
import { mkdtempSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { beforeAll, describe, expect, onTestFinished, test } from "vitest";
import { natBoot } from "../../components/nat-instance/cloud-machine.ts";
import { NAT_UNIT, NOTES_FILE, natSetup } from "../../components/nat-instance/index.ts";
import {
  type CloudConfigArgs,
  cloudConfig,
  installPackages,
  rolePackages,
} from "../../components/shared/cloud-init.ts";
import { newKeyPair } from "../../components/shared/key-pair.ts";
import { terse } from "../../components/shared/shell.ts";
import { PRIVATE_CIDR, sharedLab } from "../helpers/nat-lab.ts";

const hostKey = newKeyPair();
const natInstance = natSetup({ privateCidrs: [PRIVATE_CIDR] });
const lab = sharedLab();

/** Writes user data to a temporary file of the test. */
function fileOf(text: string): string {
  const directory = mkdtempSync(join(tmpdir(), "egress-bench-user-data-"));
  onTestFinished(() => rmSync(directory, { recursive: true }));
  const file = join(directory, "user-data");
  writeFileSync(file, text);
  return file;
}

function write(path: string, text: string): string {
  return `mkdir -p "$(dirname ${path})"\ncat > ${path} <<'END_OF_FILE'\n${text.trimEnd()}\nEND_OF_FILE\n`;
}

function program(path: string, body: string): void {
  lab.run("instance", `${write(path, `#!/bin/sh\n${body}`)}chmod +x ${path}`);
}

/** Body of a program that prints an uptime, larger by so many seconds at each call. */
function clock(step: number): string {
  return `echo >> /tmp/asked\necho $(($(wc -l < /tmp/asked) * ${step}))`;
}

describe("cloud-init's schema", () => {
  const files = [{ path: "/etc/x", content: "%: yes\n" }];
  test.each<[string, Omit<CloudConfigArgs, "hostKey">]>([
    ["client or server", { packages: rolePackages.bench, authorizedKeys: [hostKey.publicKey] }],
    ["NAT instance", { packages: rolePackages.nat, script: natInstance, files }],
    ["jump host", { packages: rolePackages.jump }],
  ])("accepts the user data of a %s, and YAML 1.1 reads it as intended", (_, args) => {
    const file = fileOf(cloudConfig({ hostKey, ...args }));
    const { stdout, stderr, status } = spawnSync("cloud-init", ["schema", "--config-file", file], {
      encoding: "utf8",
    });
    expect({ status, said: stdout + stderr }).toEqual({ status: 0, said: `Valid cloud-config: ${file}\n` });
    const reader = "import json, sys, yaml; print(json.dumps(yaml.safe_load(open(sys.argv[1]))))";
    const read = JSON.parse(execFileSync("/usr/bin/python3", ["-c", reader, file], { encoding: "utf8" }));
    const last = read.write_files?.at(-1);
    const meant = args.script ?? (args.packages?.length ? installPackages(args.packages) : undefined);
    // Comments and indentation are dropped where space is short.
    expect(last && terse(last.content)).toBe(meant && terse(meant));
    // A set-up may contain a pair's key.
    const permissions = args.script === undefined ? "0755" : "0700";
    expect(last?.permissions).toBe(last && permissions);
  });
});

describe("a machine booted by cloud-init", () => {
  // The modules that our user data needs, without those that look for disks.
  const settings = `
datasource_list: [NoCloud]
network: {config: disabled}
cloud_init_modules: [write-files, users-groups, ssh]
cloud_config_modules: [runcmd]
cloud_final_modules: [scripts-user]
`;

  /** Boots the instance of a lab; returns the output of `cloud-init status`. */
  function boot(userData: string): string {
    const seed = "/var/lib/cloud/seed/nocloud";
    return lab.run(
      "instance",
      `rm -rf /var/lib/cloud /run/cloud-init
${write("/etc/cloud/cloud.cfg.d/99-test.cfg", settings)}
${write(`${seed}/user-data`, userData)}
${write(`${seed}/meta-data`, "instance-id: test")}
for stage in "init --local" init "modules --mode=config" "modules --mode=final"; do
  cloud-init $stage >>/tmp/cloud-init.out 2>&1 || true
done
cloud-init status || true`,
    );
  }

  test("is a NAT instance with our host key, open to the operator", () => {
    const userData = cloudConfig({
      hostKey,
      authorizedKeys: [hostKey.publicKey],
      packages: ["coreutils"],
      script: natInstance,
    });
    expect(boot(userData)).toBe("status: done\n");
    expect(lab.run("instance", "ls /etc/ssh | grep host")).toBe(
      "ssh_host_ed25519_key\nssh_host_ed25519_key.pub\n",
    );
    expect(lab.run("instance", "ssh-keygen -y -f /etc/ssh/ssh_host_ed25519_key").trim()).toBe(
      hostKey.publicKey,
    );
    expect(lab.run("instance", "cat /home/*/.ssh/authorized_keys")).toContain(hostKey.publicKey);
    expect(lab.run("instance", "nft list tables")).toBe("table inet egress_bench\n");
    expect(lab.run("instance", `cat ${NOTES_FILE}`)).not.toBe("");
  });

  test("forwards before its packages are installed, and stays up if they never are", async () => {
    await lab.renewInstance();
    program("/usr/local/bin/cut", clock(1000));
    program("/usr/local/bin/apt-get", "nft list tables > /tmp/at-install; exit 100");
    program("/usr/local/bin/systemctl", "exit 0");
    program("/usr/local/bin/shutdown", "touch /tmp/powered-off");
    const { packages, ...natFirst } = natBoot(undefined);
    const heals = { powerOffWithout: NAT_UNIT };
    expect(
      boot(
        cloudConfig({
          hostKey,
          packages: [...packages, "egress-bench-none"],
          ...natFirst,
          ...heals,
          script: natInstance,
        }),
      ),
    ).toBe("status: error\n");
    expect(lab.run("instance", "cat /tmp/at-install")).toBe("table inet egress_bench\n");
    expect(lab.run("instance", "ls /tmp")).not.toContain("powered-off");
  });

  test("powers off if it cannot be set up and another machine would replace it", async () => {
    await lab.renewInstance();
    program("/usr/local/bin/systemctl", "exit 0");
    program("/usr/local/bin/shutdown", 'echo "$*" > /tmp/powered-off');
    const script = "#!/bin/sh\nexit 1\n";
    expect(boot(cloudConfig({ hostKey, script, powerOffWithout: NAT_UNIT }))).toBe("status: error\n");
    expect(lab.run("instance", "cat /tmp/powered-off")).toBe("-h +1\n");
  });

  test("counts as failed when any step fails", async () => {
    await lab.renewInstance();
    program("/usr/local/bin/cut", clock(1000));
    program("/usr/local/bin/apt-get", "exit 100");
    const script = "#!/bin/sh\ntouch /tmp/went-on\n";
    expect(boot(cloudConfig({ hostKey, packages: ["egress-bench-none"], script }))).toBe("status: error\n");
    expect(lab.run("instance", "ls /tmp")).not.toContain("went-on");
  });
});

/** Real dpkg; apt-get, the clock and the pauses are the test's, because packages and mirrors are out of scope. */
describe("the installation of packages", () => {
  beforeAll(() => lab.renewInstance());
  function install(packages: string[], aptGet: string): string {
    program("/tmp/bin/apt-get", aptGet);
    program("/tmp/bin/cut", clock(100));
    program("/tmp/bin/sleep", 'echo "sleep $*" >> /tmp/log');
    lab.run("instance", `${write("/tmp/install", installPackages(packages))}: > /tmp/log; rm -f /tmp/asked`);
    return lab.run(
      "instance",
      "PATH=/tmp/bin:$PATH sh /tmp/install >/tmp/out 2>&1; echo $?; cat /tmp/out /tmp/log",
    );
  }

  test("is skipped if they are installed", () => {
    expect(install(["coreutils", "bash"], "echo called >> /tmp/log")).toBe("0\n");
    expect(install(["coreutils", "egress-bench-none"], "echo called >> /tmp/log")).toBe(
      "0\ncalled\ncalled\n",
    );
  });

  test("waits for locks, asks nothing, and tries again until it works", () => {
    const aptGet = `echo "$DEBIAN_FRONTEND $(readlink /proc/self/fd/0) $*" >> /tmp/log
[ "$(grep -c ' update$' /tmp/log)" -gt 2 ]`;
    const options = "-q -o DPkg::Lock::Timeout=120 -o Acquire::Retries=2 -o Acquire::http::Timeout=15";
    const call = `noninteractive /dev/null ${options}`;
    expect(install(["egress-bench-none"], aptGet).split("\n")).toEqual([
      "0",
      `${call} update`,
      "sleep 5",
      `${call} update`,
      "sleep 5",
      `${call} update`,
      `${call} install -y --no-install-recommends egress-bench-none`,
      "",
    ]);
  });

  test("gives up after ten minutes and names the missing packages", () => {
    const said = install(["egress-bench-none"], "exit 100");
    expect(said).toContain(
      "1\negress-bench: not installed within 600 s: egress-bench-none; has this machine a way out",
    );
    expect(said.match(/sleep 5/g)).toHaveLength(5);
  });
});
