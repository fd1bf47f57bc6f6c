/**
 * The set-up script's text. It is run in tests/lab/nat-instance.
 */
import { describe, expect, test } from "vitest";
import { pairSources } from "../../../components/nat-instance/high-availability.ts";
import { anHourLater, dataPlanePackages, natSetup } from "../../../components/nat-instance/index.ts";
import { natRuleset } from "../../../components/nat-instance/ruleset.ts";
import { sysctlsOf } from "../../../components/nat-instance/sysctls.ts";
import { machineOfPair } from "./machine-of-pair.ts";

const { machine: sysctls } = sysctlsOf({});

const script = natSetup({ privateCidrs: ["10.0.1.0/24"] });
const stepsOf = (text: string) => /^steps="(.*)"$/m.exec(text)?.[1]?.split(" ") ?? [];

test("contains the ruleset unchanged", () => {
  expect(script).toContain(natRuleset({ privateCidrs: ["10.0.1.0/24"] }));
});

test("finds the outside interface itself unless it is named", () => {
  expect(script).toContain("\nout_interface=\n");
  expect(natSetup({ privateCidrs: ["10.0.1.0/24"], outInterface: "ens6" })).toContain(
    "\nout_interface=ens6\n",
  );
});

test("loads the ruleset before it turns forwarding on", () => {
  expect(stepsOf(script)).toEqual([
    ...["find_out_interface", "find_out_address", "find_data_interfaces", "set_up_check"],
    ...["enter_by_inside", "load_data_plane", "remove_iptables", "remember_rules", "set_sysctls"],
    ...["tune_interfaces", "run_at_each_boot"],
  ]);
});

describe("the iptables data plane", () => {
  const text = natSetup({ privateCidrs: ["10.0.1.0/24"], dataPlane: "iptables" });

  test("has fck-nat's kernel settings, and no others", () => {
    const set = [...text.matchAll(/^ {2,}(?:need|want) (\S+) (\S+)$/gm)].map(([, key, value]) => [
      key,
      value,
    ]);
    expect(set).toEqual([
      ["net.ipv4.ip_forward", "1"],
      ["net.ipv4.conf.all.rp_filter", "0"],
      ["net.ipv4.conf.default.rp_filter", "0"],
      ['"net/ipv4/conf/$link/forwarding"', "1"],
    ]);
    expect(text).toContain("\noff_on_each_interface=rp_filter\n");
  });

  test("leaves the interfaces alone, like fck-nat", () => {
    expect(text).not.toContain("ethtool");
    expect(script).toContain("ethtool");
  });

  test("needs a package of its own", () => {
    expect(dataPlanePackages("iptables")).toEqual(["iptables"]);
    expect(dataPlanePackages()).toEqual([]);
  });
});

describe("kernel settings", () => {
  const values = Object.fromEntries(sysctls.map(({ key, value }) => [key, value]));

  test("are those that decide a NAT instance's behaviour", () => {
    expect(values).toMatchObject({
      "net.ipv4.ip_forward": "1",
      "net.ipv4.conf.all.send_redirects": "0",
      "net.ipv4.conf.all.rp_filter": "0",
      "net.ipv4.ip_early_demux": "0",
      "net.netfilter.nf_conntrack_udp_timeout": "120",
      "net.netfilter.nf_conntrack_tcp_timeout_close_wait": "350",
      "net.netfilter.nf_conntrack_tcp_timeout_unacknowledged": "130",
    });
    expect(values["net.netfilter.nf_conntrack_max"]).toBe(values["net.netfilter.nf_conntrack_buckets"]);
  });

  test("fail the set-up only if NAT needs them", () => {
    expect(sysctls.filter(({ required }) => required).map(({ key }) => key)).toEqual(["net.ipv4.ip_forward"]);
    expect(script.match(/^ *need .*$/gm)).toEqual([
      "  need net.ipv4.ip_forward 1",
      '    need "net/ipv4/conf/$link/forwarding" 1',
    ]);
  });

  test("are each set once, with a reason", () => {
    expect(new Set(Object.keys(values)).size).toBe(sysctls.length);
    for (const { key, value, why, required } of sysctls) {
      expect(script).toContain(`  # ${why}\n  ${required ? "need" : "want"} ${key} ${value}`);
    }
  });
});

describe("a machine of a pair", () => {
  const args = { privateCidrs: ["10.0.1.0/24"] };
  const highAvailability = machineOfPair;
  const text = natSetup({ ...args, highAvailability });

  test("runs everything of a single one, and the pair's part before it counts as set up", () => {
    // A failed set-up is repeated, so it must be registered for the next boot before it can fail.
    expect(stepsOf(text).slice(-3)).toEqual(["tune_interfaces", "run_at_each_boot", "set_up_pair"]);
    expect(text).toContain("\npeer_address=10.0.0.6\n");
    expect(script).toContain("\npeer_address=\n");
    expect(script).not.toContain("set_up_pair");
  });

  test("translates to the one address that moves, and answers no packets to it", () => {
    const ruleset = natRuleset({ ...args, highAvailability });
    expect(ruleset).toContain("snat ip to 10.0.0.9 fully-random");
    expect(ruleset).toContain("ip daddr 10.0.0.9 drop");
    expect(natRuleset({ ...args, highAvailability, portAllocation: "preserve" })).toMatch(
      /snat ip to 10\.0\.0\.9$/m,
    );
    expect(natRuleset(args)).not.toContain("10.0.0.9");
  });

  test("commits connections with the time-out of tracking", () => {
    expect(text).toContain("CommitTimeout 7440");
    const shorter = natSetup({ ...args, highAvailability, idleTimeouts: { tcp: 3600 } });
    expect(shorter).toContain("CommitTimeout 3600");
    expect(shorter).toContain("nf_conntrack_tcp_timeout_established 3600");
  });

  test("with its own address translates to that, copies nothing, and accepts a port range", () => {
    const { translatedTo: _, ...rest } = highAvailability;
    const own = { ...args, portRange: { first: 2000, last: 3000 }, highAvailability: rest };
    expect(natRuleset(own)).toContain("snat ip to $out_address:2000-3000 fully-random");
    expect(natRuleset(own)).not.toMatch(/ip daddr 10\.0\.0\.9|udp dport 3780 accept/);
    expect(natSetup(own)).not.toContain("conntrackd_configuration()");
  });

  test.each([
    [{ sourceAddresses: ["10.0.0.9"] }, "sourceAddresses: does not go with highAvailability"],
    [{ portRange: { first: 1024, last: 2047 } }, "portRange: does not go with highAvailability"],
    [{ dataPlane: "iptables" as const }, "dataPlane: must be nftables or flowtable with highAvailability"],
    [
      { highAvailability: { ...highAvailability, peer: "10.0.0.5" } },
      "highAvailability.peer: must be the other machine's address",
    ],
    [
      { highAvailability: { ...highAvailability, advertisementMs: 10 } },
      "highAvailability.advertisementMs: must be 50 to 10000 milliseconds",
    ],
    ...["x'$(id)`", '"; id; "', "a b", "-a", "", "a\nb", "a..b'"].map(
      (address) =>
        [
          { highAvailability: { ...highAvailability, check: { address, port: 443 } } },
          "highAvailability.check.address: must be an IPv4 address or a host's name",
        ] as [object, string],
    ),
    [
      { highAvailability: { ...highAvailability, check: { address: "a.example", port: 65_536 } } },
      "highAvailability.check.port: ",
    ],
    ...["self", "peer", "translatedTo", "outerAddress"].map(
      (name) =>
        [
          { highAvailability: { ...highAvailability, [name]: "10.0.1.12; accept" } },
          `highAvailability.${name}: must be an IPv4 address`,
        ] as [object, string],
    ),
  ])("refuses %j", (wrong, message) => {
    expect(() => natSetup({ ...args, highAvailability, ...wrong })).toThrow(message);
  });
});

test.each([
  ["ec2", ["ec2.py", "nothing.py"]],
  ["probe", ["nothing.py", "probe.py"]],
] as const)("a machine of kind %s gets its own way to take over, and no other's", (kind, own) => {
  const names = pairSources(kind).map(([name]) => name);
  expect(names.filter((name) => ["addresses.py", "ec2.py", "nothing.py", "probe.py"].includes(name))).toEqual(
    own,
  );
  expect(names).toContain("main.py");
});

/** The hour by which a pair's second machine upgrades later. */
test.each([
  ["03:30", "04:30"],
  ["23:05", "00:05"],
  ["Mon 22:59", "Mon 23:59"],
  ["Sat 23:00", "Sun 00:00"],
  ["Sun 23:30", "Mon 00:30"],
])("after %s comes %s", (at, later) => {
  expect(anHourLater({ at, reboot: true })).toEqual({ at: later, reboot: true });
});

test("a week of hours ends where it began", () => {
  const all = Array.from({ length: 7 * 24 }).reduce<string[]>(
    (seen) => [...seen, anHourLater({ at: seen.at(-1) as string }).at],
    ["Wed 00:15"],
  );
  expect(all.at(-1)).toBe("Wed 00:15");
  expect(new Set(all).size).toBe(7 * 24);
});
