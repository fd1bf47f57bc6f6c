/**
 * What the set-up script leaves on a machine, and how it fails.
 */
import { existsSync, readFileSync } from "node:fs";
import { describe, expect, test } from "vitest";
import { NOTES_FILE, natSetup } from "../../../components/nat-instance/index.ts";
import { BOX, type NatLab, natLab, PRIVATE_CIDR } from "../../helpers/nat-lab.ts";

const script = natSetup({ privateCidrs: [PRIVATE_CIDR] });
const machineForwards = () => readFileSync("/proc/sys/net/ipv4/ip_forward", "utf8");

/** Runs the script as a file and returns its exit status and what it said to stderr. */
function setUp(lab: NatLab, text = script, prefix = ""): { status: string; stderr: string } {
  lab.run("box", `cat > /tmp/set-up <<'END_OF_SET_UP'\n${text}END_OF_SET_UP\n`);
  const status = lab.run("box", `${prefix} sh /tmp/set-up >/tmp/out 2>/tmp/err && echo 0 || echo $?`);
  return { status: status.trim(), stderr: lab.run("box", "cat /tmp/err") };
}

/** Puts a program of the test's own into the box's /tmp/bin, in place of one that a namespace cannot have. */
function program(lab: NatLab, name: string, text: string): void {
  const file = `/tmp/bin/${name}`;
  lab.run("box", `mkdir -p /tmp/bin && cat > ${file} <<'END'\n#!/bin/sh\n${text}\nEND\nchmod +x ${file}`);
}

describe("the set-up script", () => {
  test("may be run again, and leaves the tables of others alone", async () => {
    const lab = await natLab();
    lab.run("box", "nft add table inet mine && nft add chain inet mine kept");
    expect(setUp(lab)).toEqual({ status: "0", stderr: "" });
    const once = lab.run("box", "nft -s list ruleset && cat /etc/sysctl.d/90-egress-bench.conf");
    expect(setUp(lab)).toEqual({ status: "0", stderr: "" });
    expect(lab.run("box", "nft -s list ruleset && cat /etc/sysctl.d/90-egress-bench.conf")).toBe(once);
    expect(once).toContain("chain kept");
    expect(once.match(/table inet egress_bench/g)).toHaveLength(1);
  });

  test("finds its interfaces by their routes", async () => {
    const lab = await natLab();
    setUp(lab);
    const ruleset = lab.run("box", "cat /etc/egress-bench/nat.nft");
    expect(ruleset).toContain('define out_interface = "eth1"\ndefine data_interfaces = { eth0, eth1 }\n');
  });

  test("puts kernel settings in force, in its own network only", async () => {
    const before = machineForwards();
    const lab = await natLab();
    lab.run("box", "sysctl -qw net.ipv4.conf.all.rp_filter=2 net.ipv4.conf.eth0.rp_filter=2");
    setUp(lab);
    const each = ["send_redirects", "rp_filter"].flatMap((key) => [`conf.all.${key}`, `conf.eth0.${key}`]);
    const keys = ["ip_forward", ...each];
    const values = lab.run("box", `sysctl -n ${keys.map((key) => `net.ipv4.${key}`).join(" ")}`);
    expect(values.split("\n").slice(0, -1)).toEqual(["1", "0", "0", "0", "0"]);
    expect(lab.run("box", "sysctl -n net.netfilter.nf_conntrack_tcp_timeout_established")).toBe("7440\n");
    const configured = lab.run(
      "box",
      "sed -n 's/^-net.netfilter.nf_conntrack_max = //p' /etc/sysctl.d/90-egress-bench.conf",
    );
    expect(Number(configured) % 8192).toBe(0);
    expect(Number(configured)).toBeGreaterThanOrEqual(65_536);
    expect(machineForwards()).toBe(before);
    expect(existsSync("/etc/sysctl.d/90-egress-bench.conf")).toBe(false);
  });

  test("notes what the machine cannot do, once, however often it is run", async () => {
    const lab = await natLab();
    setUp(lab);
    setUp(lab);
    const notes = lab.run("box", `cat ${NOTES_FILE}`).trim().split("\n");
    expect(
      notes.filter((note) => note.startsWith("sysctls that are absent or read-only here: ")),
    ).toHaveLength(1);
    const flowtables = lab.run("box", "nft list flowtables");
    const noted = notes.filter((note) => note.startsWith("no flowtable, every packet takes the slow path: "));
    if (flowtables.includes("flowtable ft")) {
      expect(noted).toEqual([]);
      expect(lab.run("box", "nft list chain inet egress_bench forward")).toMatch(
        /policy drop;\n.* flow add @ft/,
      );
    } else {
      expect(noted).toEqual([expect.stringMatching(/: \S+/)]);
      expect(lab.run("box", "cat /etc/egress-bench/nat.nft")).not.toContain("flow add");
    }
  });

  test("makes systemd run it at each boot, where there is systemd", async () => {
    const lab = await natLab();
    lab.run("box", "mkdir -p /run/systemd/system");
    // No timer is active yet.
    program(lab, "systemctl", 'echo "$@" >> /tmp/systemctl.log; [ "$1" != is-active ]');
    program(lab, "systemd-run", 'echo "$@" >> /tmp/systemd-run.log');
    expect(setUp(lab, script, "PATH=/tmp/bin:$PATH")).toEqual({ status: "0", stderr: "" });
    const unit = "/etc/systemd/system/egress-bench-nat-instance.service";
    expect(lab.run("box", "cat /tmp/systemctl.log")).toBe(
      "daemon-reload\n--quiet enable egress-bench-nat-instance.service\nis-active --quiet egress-bench-nat-drift.timer\n",
    );
    expect(lab.run("box", "cat /tmp/systemd-run.log")).toMatch(
      /^--quiet --unit egress-bench-nat-drift .*--on-unit-active 15 \/bin\/sh \/usr\/local\/sbin\/egress-bench-nat-instance if-drifted\n$/,
    );
    expect(lab.run("box", `systemd-analyze verify ${unit} 2>&1`)).not.toContain("egress-bench");
    const execStart = lab.run("box", `sed -n 's/^ExecStart=//p' ${unit}`).trim();
    lab.run("box", `nft delete table inet egress_bench && ${execStart}`);
    expect(lab.run("box", "nft list tables")).toContain("inet egress_bench");
    expect(lab.run("box", `cat ${execStart.split(" ").at(-1)}`)).toBe(script);
  });

  test("says so where systemd is there and the script is no file", async () => {
    const lab = await natLab();
    lab.run("box", "mkdir -p /run/systemd/system");
    lab.run("box", script);
    expect(lab.run("box", `cat ${NOTES_FILE}`)).toContain(
      "not set up again at the next boot, nor when something else changes it: the script was not run from a file",
    );
  });
});

describe("the set-up script fails with one line that says why", () => {
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
  ])("%s", async (_, spoil, text, message) => {
    const lab = await natLab();
    lab.run("box", spoil);
    expect(setUp(lab, text)).toEqual({ status: "1", stderr: `egress-bench: ${message}\n` });
  });

  test("no root", async () => {
    const lab = await natLab();
    expect(setUp(lab, script, "setpriv --reuid=65534 --clear-groups")).toEqual({
      status: "1",
      stderr: "egress-bench: the NAT instance set-up needs root; run it with sudo\n",
    });
    expect(lab.run("box", "nft list tables")).toBe("");
  });

  test("an address that the outside interface does not take", async () => {
    const lab = await natLab();
    program(lab, "ip", 'case "$*" in "address add"*) exit 2 ;; esac; exec /usr/sbin/ip "$@"');
    const text = natSetup({ privateCidrs: [PRIVATE_CIDR], sourceAddresses: [BOX, "198.19.1.5"] });
    expect(setUp(lab, text, "PATH=/tmp/bin:$PATH")).toEqual({
      status: "1",
      stderr: "egress-bench: sourceAddresses: eth1 does not take 198.19.1.5\n",
    });
  });
});
