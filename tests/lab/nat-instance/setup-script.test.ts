/**
 * The set-up script's effects on a machine, the time of package upgrades, and its failures. systemctl is a stand-in,
 * apt-config the real one. Not proved: that systemd runs the timers.
 */
import { existsSync, readFileSync } from "node:fs";
import { beforeEach, describe, expect, test } from "vitest";
import { NOTES_FILE, natSetup, setUpAgain } from "../../../components/nat-instance/index.ts";
import { CLIENT, INSTANCE, type NatLab, PRIVATE_CIDR, SERVER, sharedLab } from "../../helpers/nat-lab.ts";

const script = natSetup({ privateCidrs: [PRIVATE_CIDR] });
const machineForwards = () => readFileSync("/proc/sys/net/ipv4/ip_forward", "utf8");

/** Runs the script as a file and returns its exit status and stderr. */
function setUp(lab: NatLab, text = script, prefix = ""): { status: string; stderr: string } {
  lab.run("instance", `cat > /tmp/set-up <<'END_OF_SET_UP'\n${text}END_OF_SET_UP\n`);
  const status = lab.run("instance", `${prefix} sh /tmp/set-up >/tmp/out 2>/tmp/err && echo 0 || echo $?`);
  return { status: status.trim(), stderr: lab.run("instance", "cat /tmp/err") };
}

/** Puts a program of the test into the instance's /tmp/bin, in place of one that does not work in a namespace. */
function program(lab: NatLab, name: string, text: string): void {
  const file = `/tmp/bin/${name}`;
  lab.run(
    "instance",
    `mkdir -p /tmp/bin && cat > ${file} <<'END'\n#!/bin/sh\n${text}\nEND\nchmod +x ${file}`,
  );
}

const lab = sharedLab();

describe("the set-up script", () => {
  test("may be run again under any umask, and leaves other tables alone", () => {
    lab.run("instance", "nft add table inet mine && nft add chain inet mine kept");
    expect(setUp(lab, script, "umask 000;")).toEqual({ status: "0", stderr: "" });
    const isOthers = "\\( -perm /022 -o -name egress-bench-nat.lock -perm /077 \\)";
    expect(lab.run("instance", `find /etc /run /usr /var -xdev -type f -newer /tmp/set-up ${isOthers}`)).toBe(
      "",
    );
    const once = lab.run("instance", "nft -s list ruleset && cat /etc/sysctl.d/90-egress-bench.conf");
    expect(setUp(lab)).toEqual({ status: "0", stderr: "" });
    expect(lab.run("instance", "nft -s list ruleset && cat /etc/sysctl.d/90-egress-bench.conf")).toBe(once);
    expect(once).toContain("chain kept");
    expect(once.match(/table inet egress_bench/g)).toHaveLength(1);
  });

  test("logs the number of connections that the machine has room for", () => {
    setUp(lab);
    const room = lab.run("instance", "sysctl -n net.netfilter.nf_conntrack_max").trim();
    expect(lab.run("instance", "tail -n 1 /tmp/out").trim()).toBe(
      `NAT instance: nftables, out by eth1, data interfaces eth0 eth1, room for ${room} connections`,
    );
  });

  test("finds its interfaces by their routes", () => {
    setUp(lab);
    const ruleset = lab.run("instance", "cat /etc/egress-bench/nat.nft");
    expect(ruleset).toContain('define out_interface = "eth1"\ndefine data_interfaces = { eth0, eth1 }\n');
  });

  test("puts kernel settings in force, in its own network only", () => {
    const before = machineForwards();
    const each = ["send_redirects", "rp_filter"].flatMap((key) => [`conf.all.${key}`, `conf.eth0.${key}`]);
    const keys = ["ip_forward", ...each];
    lab.run(
      "instance",
      `sysctl -qw net.ipv4.ip_forward=0 ${each.map((key) => `net.ipv4.${key}=1`).join(" ")}`,
    );
    setUp(lab);
    const values = lab.run("instance", `sysctl -n ${keys.map((key) => `net.ipv4.${key}`).join(" ")}`);
    expect(values.split("\n").slice(0, -1)).toEqual(["1", "0", "0", "0", "0"]);
    expect(lab.run("instance", "sysctl -n net.netfilter.nf_conntrack_tcp_timeout_established")).toBe(
      "7440\n",
    );
    const configured = lab.run(
      "instance",
      "sed -n 's/^-net.netfilter.nf_conntrack_max = //p' /etc/sysctl.d/90-egress-bench.conf",
    );
    expect(Number(configured) % 8192).toBe(0);
    expect(Number(configured)).toBeGreaterThanOrEqual(65_536);
    expect(machineForwards()).toBe(before);
    expect(existsSync("/etc/sysctl.d/90-egress-bench.conf")).toBe(false);
  });

  test("notes the machine's missing features, once, however often it is run", () => {
    setUp(lab);
    setUp(lab);
    const notes = lab.run("instance", `cat ${NOTES_FILE}`).trim().split("\n");
    expect(
      notes.filter((note) => note.startsWith("sysctls that are absent or read-only here: ")),
    ).toHaveLength(1);
    const flowtables = lab.run("instance", "nft list flowtables");
    const noted = notes.filter((note) => note.startsWith("no flowtable data plane but nftables: "));
    if (flowtables.includes("flowtable ft")) {
      expect(noted).toEqual([]);
      expect(lab.run("instance", "nft list chain inet egress_bench forward")).toMatch(
        /policy drop;\n.* flow add @ft/,
      );
    } else {
      expect(noted).toEqual([expect.stringMatching(/: \S+/)]);
      expect(lab.run("instance", "cat /etc/egress-bench/nat.nft")).not.toContain("flow add");
    }
  });

  test("makes systemd run it at each boot, if there is systemd", () => {
    lab.run("instance", "mkdir -p /run/systemd/system");
    // No timer is active yet.
    program(lab, "systemctl", 'echo "$@" >> /tmp/systemctl.log; [ "$1" != is-active ]');
    program(lab, "systemd-run", 'echo "$@" >> /tmp/systemd-run.log');
    expect(setUp(lab, script, "PATH=/tmp/bin:$PATH")).toEqual({ status: "0", stderr: "" });
    const unit = "/etc/systemd/system/egress-bench-nat-instance.service";
    expect(lab.run("instance", "cat /tmp/systemctl.log")).toBe(
      "daemon-reload\n--quiet enable egress-bench-nat-instance.service\nis-active --quiet egress-bench-nat-drift.timer\n-q stop egress-bench-nat-guard\nis-active --quiet egress-bench-nat-guard\n",
    );
    expect(lab.run("instance", "cat /tmp/systemd-run.log")).toMatch(
      /^--quiet --unit egress-bench-nat-drift .*--on-unit-active 15 \/bin\/sh \/usr\/local\/sbin\/egress-bench-nat-instance if-drifted\n-qu egress-bench-nat-guard -p Restart=always .* \/etc\/egress-bench\/guard\.nft \/usr\/local\/sbin\/egress-bench-nat-instance\n$/,
    );
    expect(lab.run("instance", `systemd-analyze verify ${unit} 2>&1`)).not.toContain("egress-bench");
    const execStart = lab.run("instance", `sed -n 's/^ExecStart=//p' ${unit}`).trim();
    lab.run("instance", `nft delete table inet egress_bench && ${execStart}`);
    expect(lab.run("instance", "nft list tables")).toContain("inet egress_bench");
    expect(lab.run("instance", `cat ${execStart.split(" ").at(-1)}`)).toBe(script);
  });

  test("notes that it cannot run at boot if systemd exists and the script is no file", () => {
    lab.run("instance", "mkdir -p /run/systemd/system");
    lab.run("instance", script);
    expect(lab.run("instance", `cat ${NOTES_FILE}`)).toContain(
      "not set up again at the next boot or after a change: the script was not run from a file",
    );
  });
});

describe("the set-up script fails with a one-line reason", () => {
  beforeEach(() => lab.renewInstance());

  test.each([
    [
      "no default route",
      "ip route del default",
      script,
      "no IPv4 default route shows the outside interface; add one or set outInterface",
    ],
    [
      "no such interface",
      ":",
      natSetup({ privateCidrs: [PRIVATE_CIDR], outInterface: "ens6" }),
      "outInterface: there is no interface ens6",
    ],
    [
      "no nft",
      'mount --bind /dev/null "$(command -v nft)"',
      script,
      "nft is missing; install nftables, iproute2 and procps",
    ],
    [
      "no forwarding",
      "mount -o remount,bind,ro /proc/sys/net",
      script,
      "net.ipv4.ip_forward cannot be set to 1",
    ],
  ])("%s", (_, spoil, text, message) => {
    lab.run("instance", spoil);
    expect(setUp(lab, text)).toEqual({ status: "1", stderr: `egress-bench: ${message}\n` });
  });

  test("no root", () => {
    expect(setUp(lab, script, "setpriv --reuid=65534 --clear-groups")).toEqual({
      status: "1",
      stderr: "egress-bench: the NAT instance set-up needs root; run it with sudo\n",
    });
    expect(lab.run("instance", "nft list tables")).toBe("");
  });

  test("an address that the outside interface refuses", () => {
    program(lab, "ip", 'case "$*" in "address add"*) exit 2 ;; esac; exec /usr/sbin/ip "$@"');
    const text = natSetup({ privateCidrs: [PRIVATE_CIDR], sourceAddresses: [INSTANCE, "198.19.1.5"] });
    expect(setUp(lab, text, "PATH=/tmp/bin:$PATH")).toEqual({
      status: "1",
      stderr: "egress-bench: sourceAddresses: eth1 does not take 198.19.1.5\n",
    });
  });
});

/** A silent systemctl that records its arguments. */
const systemctl = `mkdir -p /run/systemd/system
cat > /usr/local/sbin/systemctl <<'END_OF_STANDIN'
#!/bin/sh
echo "$*" >> /tmp/systemctl.log
END_OF_STANDIN
chmod 755 /usr/local/sbin/systemctl
ln -sf /bin/true /usr/local/sbin/unattended-upgrade
`;

test("upgrades lose the image's times, get the owner's, and reboot only on request", async () => {
  await lab.renewInstance();
  const setUp = (upgradeWindow: { at: string; reboot?: boolean }) =>
    lab.run("instance", natSetup({ privateCidrs: [PRIVATE_CIDR], upgradeWindow }));
  const reboots = () => lab.run("instance", "apt-config dump Unattended-Upgrade::Automatic-Reboot").trim();
  setUp({ at: "Sun 03:30" });
  const without = lab.run("instance", "grep -c 'no upgrade window' /run/egress-bench-notes || true").trim();
  expect(without).toBe("1");
  lab.run("instance", systemctl);
  setUp({ at: "Sun 03:30" });
  const dropIn = "cat /etc/systemd/system/apt-daily-upgrade.timer.d/egress-bench.conf";
  expect(lab.run("instance", dropIn)).toBe(
    "[Timer]\nOnCalendar=\nOnCalendar=Sun *-*-* 03:30\nRandomizedDelaySec=0\nPersistent=false\n",
  );
  expect(reboots()).toContain('Automatic-Reboot "false"');
  expect(lab.run("instance", "cat /run/egress-bench-notes")).not.toContain("upgrade");
  const asked = lab.run("instance", "cat /tmp/systemctl.log").split("\n");
  expect(asked.indexOf("try-restart apt-daily-upgrade.timer")).toBeGreaterThan(
    asked.indexOf("daemon-reload"),
  );
  setUp({ at: "04:00", reboot: true });
  expect(lab.run("instance", dropIn)).toContain("OnCalendar=*-*-* 04:00\n");
  expect(reboots()).toContain('Automatic-Reboot "true"');
});

/**
 * Asks over one UDP flow repeatedly, and records the number of answers, the source address that the server saw, and errors.
 */
const asking = `
import os, socket
flow = socket.socket(type=socket.SOCK_DGRAM)
flow.settimeout(20)
flow.bind(("${CLIENT}", 0))
flow.connect(("${SERVER}", 7001))
answered, seen, error = 0, set(), ""
while not error and not os.path.exists("/tmp/enough"):
    try:
        flow.send(b"?")
        seen.add(flow.recv(100).decode())
        answered += 1
    except OSError as one:
        error = repr(one)
    with open("/tmp/asked.new", "w") as file:
        file.write("%d %d %s" % (answered, len(seen), error))
    os.rename("/tmp/asked.new", "/tmp/asked")
`;

test("other blocks and ports are set up on a running machine, and a flow continues through it without loss", async () => {
  const again = (text: string) => {
    lab.run("instance", `cat > /tmp/wanted <<'END_OF_SET_UP'\n${text}END_OF_SET_UP\n`);
    return lab.run("instance", `cat > /tmp/again <<'END'\n${setUpAgain}END\nsh /tmp/again < /tmp/wanted`);
  };
  const asked = () => lab.run("client", "cat /tmp/asked 2>/dev/null || :").split(" ");
  again(script);
  lab.run(
    "client",
    `cat > /tmp/ask.py <<'END'\n${asking}END\nsetsid python3 /tmp/ask.py </dev/null >/dev/null 2>&1 &`,
  );
  await expect.poll(() => Number(asked()[0]), { timeout: 30_000 }).toBeGreaterThan(10);
  const others = [
    { privateCidrs: [PRIVATE_CIDR, "198.18.99.0/24"] },
    { portRange: { first: 2000, last: 2100 } },
  ];
  for (const other of others) {
    expect(again(natSetup({ privateCidrs: [PRIVATE_CIDR], ...other }))).toContain("NAT instance: ");
    const before = Number(asked()[0]);
    await expect.poll(() => Number(asked()[0]), { timeout: 30_000 }).toBeGreaterThan(before + 10);
  }
  expect(lab.run("instance", "nft list table inet egress_bench")).toContain(
    `snat ip to ${INSTANCE}:2000-2100`,
  );
  lab.run("client", "touch /tmp/enough");
  // A single source address all the time, and each request answered.
  expect(asked().slice(1)).toEqual(["1", ""]);
});
