/**
 * Each data plane carries real traffic, reports what really runs, and leaves nothing of another. Whether the flowtable
 * offloads is shown in tests/guest, since this kernel may have none.
 */
import { describe, expect, test } from "vitest";
import { dataPlaneSchema } from "../../../bench/results/hosts.ts";
import {
  DATA_PLANE_FILE,
  type NatSetupArgs,
  NOTES_FILE,
  natSetup,
} from "../../../components/nat-instance/index.ts";
import { INSTANCE, type NatLab, PRIVATE_CIDR, SERVER, sharedLab } from "../../helpers/nat-lab.ts";

/** Sets the instance up; returns the script's exit status and stderr. */
function setUp(lab: NatLab, args: Partial<NatSetupArgs>): string {
  const text = natSetup({ privateCidrs: [PRIVATE_CIDR], ...args });
  lab.run("instance", `cat > /tmp/set-up <<'END_OF_SET_UP'\n${text}END_OF_SET_UP\n`);
  return lab.run("instance", "sh /tmp/set-up 2>&1 >/tmp/out && echo 0 || echo $?");
}

/** The data plane that the instance reports, and its notes about it. */
function reported(lab: NatLab): { runs: string; notes: string[] } {
  const notes = lab.run("instance", `cat ${NOTES_FILE}`).split("\n");
  return {
    runs: lab.run("instance", `cat ${DATA_PLANE_FILE} 2>/dev/null || :`).trim(),
    notes: notes.filter((note) => /^no (flowtable|iptables)/.test(note)),
  };
}

const rules = (lab: NatLab) =>
  lab.run("instance", "iptables -t nat -S POSTROUTING; nft list tables; cat /etc/egress-bench/nat.nft || :");

function expectTranslation(lab: NatLab): void {
  expect(lab.flows("tcp").map(({ address }) => address)).toEqual([INSTANCE]);
  expect(lab.flows("udp").map(({ address }) => address)).toEqual([INSTANCE]);
}

const masquerade = "-A POSTROUTING -o eth1 -m comment --comment egress-bench -j MASQUERADE";
/** Removes a program in the instance only. */
const without = (program: string) => `mount --bind /dev/null "$(command -v ${program})"`;

const lab = sharedLab();

test("an instance changes from one data plane to another, and nothing of the former stays", () => {
  for (const dataPlane of ["iptables", "nftables", "iptables", "iptables"] as const) {
    expect(setUp(lab, { dataPlane, strict: true })).toBe("0\n");
    expect(reported(lab)).toEqual({ runs: dataPlane, notes: [] });
    expect(rules(lab).split(masquerade)).toHaveLength(dataPlane === "iptables" ? 2 : 1);
    expect(rules(lab).includes("chain forward")).toBe(dataPlane === "nftables");
    expect(rules(lab)).toContain("chain input");
    expect(rules(lab)).not.toContain("flow add");
    expectTranslation(lab);
  }
});

test("iptables has fck-nat's kernel settings", () => {
  lab.run("instance", "sysctl -qw net.ipv4.conf.all.rp_filter=1 net.ipv4.conf.eth0.rp_filter=1");
  expect(setUp(lab, { dataPlane: "iptables" })).toBe("0\n");
  const keys = ["ip_forward", "conf.all.rp_filter", "conf.eth0.rp_filter", "conf.eth1.rp_filter"];
  expect(lab.run("instance", `sysctl -n ${keys.map((key) => `net.ipv4.${key}`).join(" ")}`)).toBe(
    "1\n0\n0\n0\n",
  );
});

test("a flowtable that is not proved to keep connections is not run", () => {
  // An nft of the test's own takes the ruleset's flowtable; the probe's own one is refused, as there is none to try.
  lab.run(
    "instance",
    `real=$(command -v nft)
cp "$real" /tmp/any-nft
cat > /tmp/taking-nft <<'END'
#!/bin/sh
case $* in *probe*) echo 'Error: no flowtable' >&2; exit 1 ;; esac
[ "$1" != -f ] || { grep -v 'flow add' "$2" | sed '/flowtable/,/}/d' > /tmp/taken; exec /tmp/any-nft -f /tmp/taken; }
exec /tmp/any-nft "$@"
END
chmod +x /tmp/taking-nft
mount --bind /tmp/taking-nft "$real"`,
  );
  try {
    expect(setUp(lab, {})).toBe("Error: no flowtable\n0\n");
    expect(reported(lab)).toEqual({
      runs: "nftables",
      notes: [expect.stringMatching(/^no flowtable data plane but nftables: unproved that Linux \S+ keeps/)],
    });
    expectTranslation(lab);
    expect(lab.run("instance", "ip -n ebcheck -o link; ls /run/egress-bench-nat-*")).not.toMatch(
      /probe0|flowtable$/m,
    );
  } finally {
    lab.run("instance", 'umount "$(command -v nft)"');
  }
});

describe("a machine that cannot have the data plane", () => {
  // An nft of the test's own hides the kernel's flowtables.
  const noFlowtable = `real=$(command -v nft)
cp "$real" /tmp/real-nft
cat > /tmp/nft <<'END'
#!/bin/sh
[ "$1" != -f ] || ! grep -q 'flow add' "$2" || { echo 'nft:1:1-2: Error: no flowtable here' >&2; exit 1; }
exec /tmp/real-nft "$@"
END
chmod +x /tmp/nft
mount --bind /tmp/nft "$real"`;

  test.each<[NatSetupArgs["dataPlane"], string, RegExp, RegExp]>([
    [
      undefined,
      noFlowtable,
      /^no flowtable data plane but nftables: no flowtable here$/,
      /^egress-bench: this machine has no flowtable data plane, and strict was asked for: no flowtable here\n1\n$/,
    ],
    [
      "iptables",
      without("iptables"),
      /^no iptables data plane but nftables: \S/,
      /^egress-bench: this machine has no iptables data plane, and strict was asked for: \S.*\n1\n$/,
    ],
  ])("%s: runs a simpler one and says so, or fails where strict", async (dataPlane, spoil, note, failure) => {
    await lab.renewInstance();
    lab.run("instance", spoil);
    expect(setUp(lab, { dataPlane, strict: true })).toMatch(failure);
    expect(reported(lab)).toEqual({ runs: "", notes: [] });
    expect(lab.run("instance", "sysctl -n net.ipv4.ip_forward")).toBe("0\n");
    expect(setUp(lab, { dataPlane })).toBe("0\n");
    expect(reported(lab)).toEqual({ runs: "nftables", notes: [expect.stringMatching(note)] });
    expectTranslation(lab);
  });
});

test("the flowtable is reported only if the kernel accepted it", async () => {
  await lab.renewInstance();
  setUp(lab, { dataPlane: "flowtable" });
  const taken = lab.run("instance", "nft list flowtables").includes("flowtable ft");
  expect(reported(lab).runs).toBe(taken ? dataPlaneSchema.enum.flowtable : dataPlaneSchema.enum.nftables);
  expect(lab.flows("tcp", { to: SERVER }).map(({ address }) => address)).toEqual([INSTANCE]);
});
