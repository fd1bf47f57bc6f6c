/** A pair of NAT instances in a guest, between its client and a server; the test moves the traffic, as a cloud would. */
import { quote } from "../../bench/shell.ts";
import { COMMON_ADDRESS, natSetup } from "../../components/nat-instance/index.ts";
import { CLIENT, type NatGuest } from "./network.ts";

export type Machine = "one" | "two";
const MACHINES = ["one", "two"] as const;

export const PAIR_SERVER = "198.19.9.1";
/** The address that both translate to in one subnet. */
export const MOVING = "198.19.1.7";
/** A public address, which leads to one machine at a time where they are in two subnets. */
const PUBLIC = "203.0.113.9";
const ADDRESS = { one: "198.19.1.11", two: "198.19.1.12" } as const;
const OUTER = { one: "198.19.1.21", two: "198.19.1.22" } as const;
const ROUTER = "198.19.1.1";

export interface NatPair {
  /** Runs a bash script in a machine, which has files of its own. */
  inMachine(machine: Machine, script: string): Promise<string>;
  /** The active machine, and the one that stands by once it has what it needs. */
  roles(): Promise<[Machine, Machine]>;
  /** Points route and address to a machine. */
  lead(machine: Machine): Promise<void>;
  /** Ends a machine without notice, and waits for the other one to take over. */
  die(machine: Machine): Promise<void>;
}

const network = `
for host in client nat server one two cloud; do
  ip netns pids $host 2>/dev/null | xargs -r kill -9 || :
  ip netns del $host 2>/dev/null || :
done
for host in client server one two cloud; do ip netns add $host; ip -n $host link set lo up; done
ip netns exec cloud sysctl -qw net.ipv4.ip_forward=1 net.ipv4.conf.all.send_redirects=0 net.ipv4.conf.default.send_redirects=0
for host in client server one two; do ip -n cloud link add $host type veth peer name eth0 netns $host; ip -n cloud link set $host up; ip -n $host link set eth0 up; done
ip -n cloud address add 198.18.1.1/24 dev client; ip -n client address add ${CLIENT}/24 dev eth0; ip -n client route add default via 198.18.1.1
ip -n cloud address add 198.19.9.2/24 dev server; ip -n server address add ${PAIR_SERVER}/24 dev eth0; ip -n server route add default via 198.19.9.2
ip -n cloud rule add iif client table 100
${MACHINES.map(
  (machine) => `ip -n cloud address add ${ROUTER}/32 dev ${machine}
ip -n ${machine} address add ${ADDRESS[machine]}/32 dev eth0
ip -n ${machine} route add ${ROUTER} dev eth0; ip -n ${machine} route add default via ${ROUTER} dev eth0
for address in ${ADDRESS[machine]} ${OUTER[machine]}; do ip -n cloud route add $address dev ${machine}; done`,
).join("\n")}
# It only resolves names, of which there are none.
[ -e /usr/bin/getent ] || printf '#!/bin/sh\\necho "$2 STREAM"\\n' > /usr/bin/getent
chmod +x /usr/bin/getent
`;

/** Files that machines do not share. */
const OWN = ["/etc/egress-bench", "/etc/sysctl.d", "/run", "/tmp", "/usr/local", "/var"];

/** Makes a pair, whose sessions are translated to an address, and waits for its set-ups. */
export async function natPair(guest: NatGuest, translatedTo: string): Promise<NatPair> {
  await guest.run(`set -e${network}`);
  const inMachine: NatPair["inMachine"] = (machine, script) =>
    guest.run(
      `nsenter -t "$(cat /tmp/${machine}.pid)" -m -n env PATH="/usr/local/sbin:$PATH" bash -c ${quote(script)}`,
    );
  const inTwo = translatedTo === COMMON_ADDRESS;
  for (const machine of MACHINES) {
    const peer = machine === "one" ? "two" : "one";
    await guest.run(`rm -f /tmp/${machine}.pid; mkdir -p ${OWN.join(" ")}
setsid ip netns exec ${machine} unshare -m bash -c ${quote(
      `for path in ${OWN.filter((path) => path !== "/tmp").join(" ")}; do mount -t tmpfs tmp $path; done
mkdir -p /usr/local/sbin /usr/local/lib; echo $$ > /tmp/${machine}.pid; mount -t tmpfs tmp /tmp; exec sleep infinity`,
    )} >/dev/console 2>&1 &
while [ ! -s /tmp/${machine}.pid ]; do sleep 0.1; done; sleep 0.5`);
    const script = natSetup({
      privateCidrs: ["198.18.1.0/24"],
      highAvailability: {
        self: ADDRESS[machine],
        peer: ADDRESS[peer],
        translatedTo,
        ...(inTwo ? { outerAddress: OUTER[machine] } : {}),
        move: { kind: "nothing" },
        check: { address: PAIR_SERVER, port: 7000 },
      },
    });
    await inMachine(
      machine,
      `cat > /tmp/set-up <<'END_OF_SET_UP'\n${script}END_OF_SET_UP\nsh /tmp/set-up >/dev/null`,
    );
  }
  const role = async (machine: Machine) => (await inMachine(machine, "cat /run/egress-bench-ha")).trim();
  const until = (machine: Machine, condition: string) =>
    inMachine(
      machine,
      `for _ in {1..300}; do ! { ${condition}; } >/dev/null 2>&1 || exit 0; sleep 0.1; done
cat /run/egress-bench-ha* /run/egress-bench-*.log >&2; exit 1`,
    );
  return {
    inMachine,
    roles: async () => {
      for (const machine of MACHINES) await until(machine, "egress-bench-ha ready");
      return (await role("one")) === "active" ? ["one", "two"] : ["two", "one"];
    },
    lead: async (machine) => {
      const lead = inTwo
        ? `nft -f - <<'END'
table netdev elastic
delete table netdev elastic
table netdev elastic {
  chain in { type filter hook ingress device "server" priority -450; ip daddr ${PUBLIC} ip daddr set ${OUTER[machine]}; }
  chain out { type filter hook egress device "server" priority 450; ip saddr ${OUTER[machine]} ip saddr set ${PUBLIC}; }
}
END`
        : `ip route replace ${MOVING} via ${ADDRESS[machine]} dev ${machine} onlink`;
      await guest.run(
        `ip netns exec cloud bash -c ${quote(`ip route replace default via ${ADDRESS[machine]} dev ${machine} onlink table 100; ${lead}`)}`,
      );
    },
    die: async (machine) => {
      const other = machine === "one" ? "two" : "one";
      await inMachine(machine, "ip link set eth0 down; egress-bench-ha crash");
      await until(other, '[ "$(cat /run/egress-bench-ha)" = active ]');
    },
  };
}
