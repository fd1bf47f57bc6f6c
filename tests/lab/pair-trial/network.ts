/** The network of a pair's trial: its hosts, their addresses, links and routes. */
import { runInHost } from "../../../components/local/lab/enter.ts";
import { makeLink } from "../../../components/local/lab/links.ts";

export type Machine = "one" | "two";
export const MACHINES = ["one", "two"] as const;
export const PAIR_HOSTS = ["client", "one", "two", "cloud", "server"] as const;

const CLIENT = "198.18.1.2";
/** The first machine has the lower address. */
export const ADDRESS = { one: "198.19.1.11", two: "198.19.1.12" } as const;
const ROUTER = "198.19.1.1";
export const MOVING = "198.19.1.7";
export const SERVER = "198.19.9.1";

/** The router's own path to the server, which no client's packets may take. */
export const NOWHERE = "ip route add unreachable default metric 9999 table 100";

/** Links and routes between the hosts. */
export function connectPair(lab: string): void {
  const run = (host: string, script: string) => runInHost(lab, host, script);
  const link = (host: string, address: string, name: string, own: string) =>
    makeLink({
      lab,
      shape: {},
      ends: [
        { host, interface: "eth0", address },
        { host: "cloud", interface: name, address: own },
      ],
    });
  link("client", `${CLIENT}/24`, "client", "198.18.1.1/24");
  link("server", `${SERVER}/24`, "server", "198.19.9.2/24");
  for (const machine of MACHINES) {
    link(machine, `${ADDRESS[machine]}/32`, machine, `${ROUTER}/32`);
    run(machine, `ip route add ${ROUTER} dev eth0; ip route add default via ${ROUTER} dev eth0`);
    run("cloud", `ip route add ${ADDRESS[machine]}/32 dev ${machine}`);
  }
  run("client", "ip route add default via 198.18.1.1");
  run("server", "ip route add default via 198.19.9.2");
  run(
    "cloud",
    `for one in all default ${PAIR_HOSTS.filter((host) => host !== "cloud").join(" ")}; do
  sysctl -qw net.ipv4.conf.$one.rp_filter=0 net.ipv4.conf.$one.send_redirects=0
done
sysctl -qw net.ipv4.ip_forward=1
ip address add 169.254.169.254/32 dev lo
ip rule add iif client table 100
${NOWHERE}`,
  );
}
