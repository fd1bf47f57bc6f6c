/**
 * The NAT instance's set-up script on Debian's packaged cloud kernel: real offloading by its flowtable, its cost beside the
 * other data planes, and NAT64 by Debian's tayga. Not shown: DNS64, which a cloud's resolver does, and a cloud's IPv6
 * routes. Costs are counted instructions of one emulated processor: they repeat to a thousandth even on a busy machine, but
 * ignore caches, interrupts and network cards.
 */
import { afterAll, beforeAll, describe, expect, test } from "vitest";
import { COMMON_ADDRESS } from "../../components/nat-instance/index.ts";
import { outerAddressPart } from "../../components/nat-instance/outer-address.ts";
import { flowtableRules, natRuleset } from "../../components/nat-instance/ruleset.ts";
import { assignments } from "../../components/shared/shell.ts";
import { connectionCost, type PacketCost, packetCost, sendPackets } from "./load.ts";
import { ipv6Client, METADATA, nat64, OF_THE_NAT, PUBLIC, type Reach, STRANGER6 } from "./nat64.ts";
import { CLIENT, NAT, type NatGuest, natGuest } from "./network.ts";
import { talk } from "./talk.ts";

const LOAD = { packets: 64 * 20, flows: 64 };

let guest: NatGuest;
beforeAll(async () => {
  guest = await natGuest();
});
afterAll(() => guest?.end());

/** Flows of the client that the NAT instance tracks, one line each. */
async function tracked(protocol: "tcp" | "udp"): Promise<string[]> {
  const text = await guest.inHost("nat", `conntrack -L -p ${protocol} -s ${CLIENT} 2>/dev/null`);
  return text.split("\n").filter((line) => line !== "");
}

/** Packets that took the rules instead of the flowtable. */
const slowPath = {
  count: () =>
    guest.inHost(
      "nat",
      "nft 'table ip slow; delete table ip slow; table ip slow { chain first { type filter hook forward priority -10; counter; }; }'",
    ),
  packets: async () => Number(/packets (\d+)/.exec(await guest.inHost("nat", "nft list table ip slow"))?.[1]),
};

test("a kernel without flowtables is refused if strict, before anything is forwarded", async () => {
  const modules = "nf_flow_table nf_flow_table_inet nft_flow_offload";
  await guest.run(`mkdir -p /etc/modprobe.d; for module in ${modules}; do
    echo install $module /bin/false; done > /etc/modprobe.d/none.conf`);
  try {
    await expect(guest.setUp()).rejects.toThrow(
      /egress-bench: this machine has no flowtable data plane, and strict was asked for: \S/,
    );
    expect(await guest.inHost("nat", "nft list tables; sysctl -n net.ipv4.ip_forward")).toBe("0\n");
  } finally {
    await guest.run("rm /etc/modprobe.d/none.conf");
  }
});

test("a kernel that forgets connections of its flowtable gets nftables, and is refused if strict", async () => {
  // A conntrack of the test's own lists what such a kernel has: a day for a flow that was offloaded, and nothing of one that was shortened.
  await guest.run(`rm -f /run/egress-bench-nat-flowtable
cp "$(command -v conntrack)" /tmp/real-conntrack
cat > /tmp/conntrack <<'END'
#!/bin/sh
case $* in *-U*) touch /tmp/shortened ;; *-L*) ! rm /tmp/shortened 2>/dev/null || exit 0 ;; esac
/tmp/real-conntrack "$@" | sed 's/^udp *17 [0-9]* /udp 17 86399 /'
END
chmod +x /tmp/conntrack; mount --bind /tmp/conntrack "$(command -v conntrack)"`);
  const verdict = /Linux \S+ forgets connections of its flowtable after a day/;
  try {
    await expect(guest.setUp()).rejects.toThrow(verdict);
    expect(await guest.setUp({ strict: false })).toBe("nftables");
    expect(await guest.inHost("nat", "cat /run/egress-bench-notes")).toMatch(verdict);
  } finally {
    await guest.run('umount "$(command -v conntrack)"; rm /run/egress-bench-nat-flowtable');
  }
});

/** Rules of a pair in two subnets, whose connections name an unused address. No pair runs here. */
const pairRuleset =
  natRuleset({
    privateCidrs: ["198.18.1.0/24"],
    highAvailability: {
      self: NAT,
      peer: "198.19.1.2",
      translatedTo: COMMON_ADDRESS,
      outerAddress: NAT,
      move: { kind: "nothing" },
      check: { address: "198.19.1.9", port: 7 },
    },
  }) + flowtableRules;

describe("the flowtable", () => {
  beforeAll(async () => {
    expect(await guest.setUp()).toBe("flowtable");
  });

  test("takes UDP flows without replies from their eleventh packet on, and counts their packets", async () => {
    await slowPath.count();
    await sendPackets(guest, { packets: 64 * 11, flows: 64 });
    expect(await slowPath.packets()).toBe(64 * 11);
    expect((await tracked("udp")).filter((line) => line.includes("[OFFLOAD]"))).toHaveLength(64);
    const { arrived } = await sendPackets(guest, { packets: 64 * 20, flows: 64 });
    expect(arrived).toBe(64 * 20);
    expect(await slowPath.packets()).toBe(64 * 11);
    const counts = (await tracked("udp")).map((line) => Number(/packets=(\d+)/.exec(line)?.[1]));
    expect(new Set(counts)).toEqual(new Set([31]));
  });

  test("takes a TCP connection, which outlives a changed ruleset", async () => {
    const connection = await talk(guest);
    expect(await tracked("tcp")).toEqual([expect.not.stringContaining("[OFFLOAD]")]);
    await connection.exchange(20);
    expect(await tracked("tcp")).toEqual([expect.stringContaining("[OFFLOAD]")]);
    const portRange = { first: 40_000, last: 40_099 };
    expect(await guest.setUp({ portRange })).toBe("flowtable");
    await connection.exchange(20);
    expect(await tracked("tcp")).toEqual([expect.stringMatching(`sport=${connection.port} .*\\[OFFLOAD\\]`)]);
    await sendPackets(guest, { packets: 1, flows: 1 });
    expect((await tracked("udp")).join("\n")).toMatch(/ dport=400\d\d /);
  });

  test("a connection survives a flush of the rules, and is offloaded again once they are restored", async () => {
    await guest.inHost("nat", "conntrack -F 2>/dev/null");
    const connection = await talk(guest);
    await connection.exchange(20);
    // Unacknowledged data would be sent again, and the NAT instance itself would reset the connection.
    await guest.inHost("server", "while ss -Htni sport :77 | grep -q unacked; do sleep 0.1; done");
    await guest.inHost("nat", "nft flush ruleset");
    const said = await guest.inHost("nat", "sh /usr/local/sbin/egress-bench-nat-instance if-drifted");
    expect(said).toContain("something else has changed rules or kernel settings");
    await connection.exchange(20);
    expect(await tracked("tcp")).toEqual([expect.stringMatching(`sport=${connection.port} .*\\[OFFLOAD\\]`)]);
    // Flows, devices and counters of a flowtable change without a drift.
    await sendPackets(guest, { packets: 64 * 11, flows: 64 });
    expect(await guest.inHost("nat", "sh /usr/local/sbin/egress-bench-nat-instance if-drifted")).toBe("");
  });

  test("a connection of a pair in two subnets is offloaded, and seen with the machine's own address", async () => {
    const outer = outerAddressPart(NAT);
    await guest.inHost("nat", "conntrack -F 2>/dev/null");
    await guest.inHost(
      "nat",
      `set -e
      out=eth1
      fail() { echo "$*" >&2; exit 1; }
      ${assignments(outer.settings ?? {})}${outer.texts.join("\n")}
      set_up_outer_address
      nft -f - <<'END_OF_RULES'
  define out_interface = "eth1"
  define data_interfaces = { eth0, eth1 }
  define out_address = ${NAT}
  define check_mac = 02:00:00:00:00:01
  define pair_link = "eth0"
  ${pairRuleset}END_OF_RULES`,
    );
    const connection = await talk(guest);
    await connection.exchange(20);
    const tracked = await guest.inHost("nat", `conntrack -L -p tcp -s ${CLIENT} 2>/dev/null`);
    expect(tracked).toMatch(`dst=${COMMON_ADDRESS} `);
    expect(tracked).toContain("[OFFLOAD]");
    await slowPath.count();
    await connection.exchange(20);
    // Of more than forty packets; one may have been under way.
    expect(await slowPath.packets()).toBeLessThan(3);
    expect(await guest.inHost("server", "ss -Htn sport :77")).toContain(`${NAT}:`);
  });
});

describe("what forwarding costs", () => {
  const kinds = ["flowtable", "routing", "iptables"] as const;
  const packets = {} as Record<(typeof kinds)[number], PacketCost>;
  const connections = {} as Record<(typeof kinds)[number], number>;
  beforeAll(async () => {
    for (const forwarding of kinds) {
      await guest.forward(forwarding);
      packets[forwarding] = await packetCost(guest, LOAD);
      connections[forwarding] = await connectionCost(guest);
    }
  });

  test("64-byte packets pass the flowtable at less cost than iptables, and no more than plain routing", () => {
    const { flowtable, routing, iptables } = packets;
    expect(iptables.all / flowtable.all).toBeGreaterThan(1.25);
    expect(flowtable.forwarding / iptables.forwarding).toBeLessThan(0.8);
    expect(routing.all / flowtable.all).toBeGreaterThan(0.95);
    // The measurement distinguishes routing from NAT.
    expect(iptables.forwarding).toBeGreaterThan(routing.forwarding);
  });

  /**
   * Largest allowed ratio to iptables, whose packets are looked up in vain. docs/reference/how-nat-instance-works.md lists
   * other attempts.
   */
  const MOST_OF_IPTABLES = 1.045;

  test("a short TCP connection costs little more by the flowtable than with iptables", async () => {
    // The kernel's other work only adds, sometimes to a whole series of measurements.
    for (
      let round = 0;
      round < 3 && !(connections.flowtable / connections.iptables < MOST_OF_IPTABLES);
      round++
    ) {
      for (const forwarding of kinds) {
        await guest.forward(forwarding);
        connections[forwarding] = Math.min(connections[forwarding], await connectionCost(guest));
      }
    }
    expect(connections.flowtable / connections.iptables).toBeLessThan(MOST_OF_IPTABLES);
    expect(connections.iptables / connections.routing).toBeGreaterThan(1.05);
  });
});

test("UDP receive offload is set beneath a VLAN: on the bond, and on its receiving port", async () => {
  await guest.makeHosts();
  await guest.inHost(
    "nat",
    `set -e
    ip link set eth0 down; ip address flush dev eth0
    ip link add bond0 type bond mode active-backup
    ip link set eth0 master bond0; ip link set bond0 up
    ip link add link bond0 name bond0.5 type vlan id 5
    ip address add 198.18.1.1/24 dev bond0.5; ip link set bond0.5 up`,
  );
  const offload = async (name: string) =>
    (await guest.inHost("nat", `ethtool -k ${name} | sed -n 's/^rx-udp-gro-forwarding: //p'`)).trim();
  // A VLAN itself cannot have it, since it never receives from the wire.
  const interfaces = ["bond0", "eth0", "eth1"];
  for (const name of interfaces) expect([name, await offload(name)]).toEqual([name, "off"]);
  expect(await guest.setUp()).toBe("flowtable");
  for (const name of interfaces) expect([name, await offload(name)]).toEqual([name, "on"]);
});

describe("NAT64", () => {
  let reach: Reach;
  beforeAll(async () => {
    await guest.makeHosts();
    reach = await ipv6Client(guest);
    expect(await guest.setUp({ privateIpv6Cidrs: ["fd00:1::/64"], nat64: true })).toBe("flowtable");
  });

  test("TCP, UDP and pings of the blocks' hosts arrive with the NAT instance's address, and are answered", async () => {
    expect(await reach("tcp", [10, 100])).toBe(`${NAT} 100`);
    expect(await reach("udp", [500, 20])).toBe(`${NAT} 500`);
    expect(await reach("icmp", [0, 0])).toBe("echo 56");
  });

  test("other hosts are refused, and the machine itself and its metadata are unreachable", async () => {
    expect(await reach("tcp", [1, 1], { from: STRANGER6 })).toBe("TimeoutError");
    expect(await reach("tcp", [1, 1], { to: OF_THE_NAT })).toBe("TimeoutError");
    expect(await reach("tcp", [1, 1], { to: METADATA })).toMatch(/Error$/);
  });

  test("bulk traffic passes both ways, even with a smaller MTU on the way", async () => {
    const bulk = [300_000, 300_000] as const;
    expect(await reach("tcp", bulk)).toBe(`${NAT} 300000`);
    // A full packet of the server does not fit into IPv6 of the same size; after the ICMP error it sends smaller ones.
    expect(await reach("udp", [1472, 20])).toBe("TimeoutError");
    expect(await reach("udp", [1472, 20])).toBe(`${NAT} 1472`);
    expect(await guest.inHost("server", `ip route get ${NAT}`)).toContain("mtu 1480");
    await guest.run("ip -n nat link set eth1 mtu 1400");
    expect(await reach("tcp", bulk)).toBe(`${NAT} 300000`);
    expect(await guest.inHost("client", `ip route get ${nat64(PUBLIC)}`)).toContain("mtu 1420");
  });
});
