/** Client, NAT instance and server as namespaces of a guest, and the shell for them. */
import type { DataPlane } from "../../bench/results/hosts.ts";
import { quote } from "../../bench/shell.ts";
import { DATA_PLANE_FILE, type NatSetupArgs, natSetup } from "../../components/nat-instance/index.ts";
import { bootGuest, type Guest, type GuestOptions } from "./guest.ts";

export const CLIENT = "198.18.1.2";
export const NAT = "198.19.1.1";
export const SERVER = "198.19.1.9";
const PRIVATE_CIDR = "198.18.1.0/24";

export type GuestHost = "client" | "nat" | "server";

/** The forwarder between client and server: a data plane, or the kernel's plain routing without NAT. */
export type Forwarding = DataPlane | "routing";

/** All forwarders, in the benchmarks' order. */
export const forwardings: readonly Forwarding[] = ["routing", "flowtable", "nftables", "iptables"];

export interface NatGuest extends Guest {
  /** Runs a bash script in one of the hosts. */
  inHost(host: GuestHost, script: string): Promise<string>;
  /** Remakes the hosts, so that nothing of an earlier set-up is left; nothing is forwarded yet. */
  makeHosts(): Promise<void>;
  /** Runs the NAT instance's set-up script, strictly. @returns the data plane that it reports */
  setUp(args?: Partial<NatSetupArgs>): Promise<string>;
  /** Remakes the hosts and makes them forward. */
  forward(forwarding: Forwarding): Promise<void>;
}

const address = (host: string, ends: readonly string[]) =>
  `ip -n ${host} -batch - <<'END_OF_BATCH'\n${["link set lo up", ...ends].join("\n")}\nEND_OF_BATCH\n`;
const end = (name: string, cidr: string) => [`address add ${cidr} dev ${name}`, `link set ${name} up`];

/** Few programs, because starting one takes an emulated processor long. */
const network = `
for host in client nat server; do
  ip netns del $host 2>/dev/null || :
  ip netns add $host
done
ip -n client link add eth0 type veth peer name eth0 netns nat
ip -n nat link add eth1 type veth peer name eth0 netns server
${address("client", [...end("eth0", `${CLIENT}/24`), "route add default via 198.18.1.1"])}
${address("nat", [...end("eth0", "198.18.1.1/24"), ...end("eth1", `${NAT}/24`), `route add default via ${SERVER}`])}
# Without NAT the server would answer the client itself.
${address("server", [...end("eth0", `${SERVER}/24`), `route add ${PRIVATE_CIDR} via ${NAT}`])}
`;

export async function natGuest(options?: GuestOptions): Promise<NatGuest> {
  const guest = await bootGuest(options);
  const inHost: NatGuest["inHost"] = (host, script) =>
    guest.run(`ip netns exec ${host} bash -c ${quote(script)}`);
  const makeHosts = async () => {
    await guest.run(`set -e${network}`);
  };
  const setUp: NatGuest["setUp"] = async (args) => {
    const script = natSetup({ privateCidrs: [PRIVATE_CIDR], strict: true, ...args });
    await inHost(
      "nat",
      `cat > /tmp/set-up <<'END_OF_SET_UP'\n${script}END_OF_SET_UP\nsh /tmp/set-up >/dev/null`,
    );
    return (await guest.run(`cat ${DATA_PLANE_FILE}`)).trim();
  };
  const forward: NatGuest["forward"] = async (forwarding) => {
    await makeHosts();
    if (forwarding === "routing") {
      await inHost("nat", "sysctl -qw net.ipv4.ip_forward=1");
    } else {
      await setUp({ dataPlane: forwarding });
    }
  };
  await makeHosts();
  return { ...guest, inHost, makeHosts, setUp, forward };
}
