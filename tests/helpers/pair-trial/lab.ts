/**
 * A pair of NAT instances in a virtual network whose router answers as EC2 does, and moves an address and a route for real;
 * and the traffic of a client through it.
 */
import { readFileSync, statSync } from "node:fs";
import { runInHost } from "../../../components/local/lab/enter.ts";
import { initProcess } from "../../../components/local/lab/living-hosts.ts";
import { natSetup, shortened } from "../../../components/nat-instance/index.ts";
import { SYSCTL_FILE } from "../../../components/nat-instance/sysctls.ts";
import { type Group, groupRules } from "./groups.ts";
import {
  ADDRESS,
  connectPair,
  MACHINES,
  type Machine,
  MOVING,
  NOWHERE,
  type PAIR_HOSTS,
  SERVER,
} from "./network.ts";
import { Traffic } from "./traffic.ts";

export { GROUPS } from "./groups.ts";

export { MACHINES, type Machine, PAIR_HOSTS } from "./network.ts";

const program = (name: string) => readFileSync(new URL(`./${name}`, import.meta.url), "utf8");

/** Kinds of flows. */
export const KINDS = ["echo", "download", "idle", "udp"] as const;
export type Kind = (typeof KINDS)[number];

/** What a trial measured. */
export interface Outcome {
  readonly outageMs: number;
  /** When the longest outage ended, in seconds of the kernel's monotonic clock. */
  readonly endedAt: number;
  readonly back: boolean;
  /** Flows of each kind. */
  readonly of: number;
  readonly survived: Readonly<Record<Kind, number>>;
}

/** What the pair's program says of itself. */
interface Status {
  readonly role: string;
  readonly carries: boolean | null;
  readonly ready: boolean;
  readonly sync_running: boolean;
}

/** As long as the program's own command takes its file for its word. */
const FRESH_MS = 5000;

/** The hosts, once they run: what is done to them, and what is seen of them. */
export class PairLab {
  readonly #lab: string;
  readonly #processes = new Map<Machine, number>();

  constructor(lab: string) {
    this.#lab = lab;
  }

  /** Runs a shell script in a host. @throws {Error} with what it said */
  run(host: (typeof PAIR_HOSTS)[number], script: string): string {
    return runInHost(this.#lab, host, script);
  }

  /** Links, routes, the cloud and the far end. */
  connect(): void {
    connectPair(this.#lab);
    this.#start("server", "far-end.py");
    this.#start("cloud", "cloud.py", ...MACHINES.map((name) => `${name}=${name}=${ADDRESS[name]}`));
  }

  /** All of it, with both machines' set-up. */
  setUp(): void {
    this.connect();
    for (const machine of MACHINES) {
      // Small enough to be filled.
      this.run(machine, "mount -t tmpfs -o size=16m tmpfs /run");
      this.boot(machine);
    }
  }

  /** Set up as at a boot. */
  boot(machine: Machine): void {
    this.run(machine, this.setUpScript(machine));
  }

  /** Set up as at a boot by a unit that runs the set-up again after it has failed; it is not waited for. */
  bootAgainAndAgain(machine: Machine, unit: { patienceSeconds: number; restartSeconds: number }): void {
    this.run(
      machine,
      `cat > /tmp/set-up <<'END_OF_SET_UP'
${this.setUpScript(machine)}END_OF_SET_UP
export EGRESS_BENCH_PATIENCE=${unit.patienceSeconds}
setsid sh -c 'until sh /tmp/set-up; do sleep ${unit.restartSeconds}; done' </dev/null >/tmp/set-up.log 2>&1 &`,
    );
  }

  /** What a machine is set up by, as user data has it. */
  setUpScript(machine: Machine): string {
    const [self, peer] = machine === "one" ? MACHINES : MACHINES.toReversed();
    const script = natSetup({
      privateCidrs: ["198.18.1.0/24"],
      dataPlane: "nftables",
      highAvailability: {
        self: ADDRESS[self as Machine],
        peer: ADDRESS[peer as Machine],
        translatedTo: MOVING,
        move: {
          kind: "ec2",
          networkInterfaceId: `eni-${machine}`,
          privateAddress: MOVING,
          routeTableIds: ["rtb-1"],
        },
        // The default on AWS.
        check: { address: SERVER, port: 443 },
      },
    });
    return `export EGRESS_BENCH_AWS=http://169.254.169.254/\n${shortened(script)}`;
  }

  /** Null where the program says nothing: read from its file, as asking its command again and again keeps a processor busy. */
  status(machine: Machine): Status | null {
    const file = `/proc/${this.#process(machine)}/root/run/egress-bench-ha.json`;
    try {
      const fresh = Math.abs(Date.now() - statSync(file).mtimeMs) < FRESH_MS;
      return fresh ? (JSON.parse(readFileSync(file, "utf8")) as Status) : null;
    } catch (error) {
      if ((error as NodeJS.ErrnoException).code === "ENOENT") return null;
      throw error;
    }
  }

  #process(machine: Machine): number {
    const known = this.#processes.get(machine) ?? initProcess(this.#lab, machine).pid;
    this.#processes.set(machine, known);
    return known;
  }

  /** Where the cloud leads the clients' route and the moving address. */
  carrier(): Machine | null {
    const routes = this.run("cloud", `ip route show table 100; ip route show ${MOVING}`);
    const found = MACHINES.filter((name) => routes.split(` dev ${name} `).length === 3);
    return found[0] ?? null;
  }

  /** Nothing of a machine's network passes, or nothing of what leaves it (`out`) or reaches it (`in`). */
  cut(machine: Machine, way: "in" | "out" | "both" = "both"): void {
    const chain = (hook: string) =>
      `chain ${hook} { type filter hook ${hook} device "${machine}" priority -500; policy drop; }`;
    // What leaves the machine arrives at the cloud.
    const chains = {
      in: [chain("egress")],
      out: [chain("ingress")],
      both: [chain("ingress"), chain("egress")],
    };
    this.run("cloud", `nft 'table netdev cut_${machine} {\n${chains[way].join("\n")}\n}'`);
  }

  /** A machine tracks so many open connections more, as far as its table goes, of 60 s; others begin after the first ones. */
  fill(machine: Machine, count: number, client: string, after = 0): void {
    this.run(
      machine,
      `seq ${after + 1} ${after + count} | awk '{ port = 1024 + $1 % 60000; far = "198.19.200." int($1 / 60000)
  print "-I -p tcp --state ESTABLISHED -u SEEN_REPLY,ASSURED -t 120 -s ${client} -d " far " --sport " port " --dport 80 -r " far " -q ${MOVING} --reply-port-src 80 --reply-port-dst " port }' > /tmp/entries
conntrack --load-file /tmp/entries >/dev/null 2>&1 || true`,
    );
  }

  mend(machine: Machine): void {
    this.run("cloud", `nft delete table netdev cut_${machine} 2>/dev/null || true`);
  }

  /** The two do not hear each other, and nothing else fails; or, with a share, so much of what they say is lost. */
  split(rule = "drop"): void {
    this.run(
      "cloud",
      `nft -f - <<END
table ip split {
  chain forward {
    type filter hook forward priority 0; policy accept;
    ip saddr { ${Object.values(ADDRESS).join(", ")} } ip daddr { ${Object.values(ADDRESS).join(", ")} } ${rule}
  }
}
END`,
    );
  }

  join(): void {
    this.run("cloud", "nft delete table ip split 2>/dev/null || true");
  }

  /** Address and route lead nowhere yet, as before a pair's first boot. */
  leadNowhere(): void {
    this.run("cloud", `ip route flush table 100; ip route del ${MOVING}; ${NOWHERE}; touch /run/new`);
  }

  /** The network's own filter before each machine. */
  filter(group: Group): void {
    this.run("cloud", `nft -f - <<'END'\n${groupRules(group, SERVER)}END`);
  }

  /** Both machines forget flows that have been silent for so long. */
  forgetAfter(seconds: number): void {
    const names = ["udp_timeout", "udp_timeout_stream", "tcp_timeout_established"];
    for (const machine of MACHINES) {
      this.run(
        machine,
        `sysctl -qw ${names.map((name) => `net.netfilter.nf_conntrack_${name}=${seconds}`).join(" ")}`,
      );
    }
  }

  /** The pair's programs get a clock of their own, which {@link setClocks} sets: that of the machine is everybody's. */
  ownClocks(): void {
    for (const machine of MACHINES) {
      this.run(
        machine,
        `[ -e /tmp/clock.so ] || cc -shared -fPIC -x c -o /tmp/clock.so - <<'END_OF_PROGRAM'
${program("clock.c")}END_OF_PROGRAM
echo 0 > /tmp/clock
egress-bench-ha crash
EGRESS_BENCH_AWS=http://169.254.169.254/ LD_PRELOAD=/tmp/clock.so egress-bench-ha start`,
      );
    }
  }

  /** @param seconds How far ahead of the machine's clock the programs' own one is. */
  setClocks(seconds: number): void {
    for (const machine of MACHINES) this.run(machine, `echo ${seconds} > /tmp/clock`);
  }

  /** Whether the cloud's API answers. */
  api(answers: boolean): void {
    this.run("cloud", answers ? "rm -f /run/away" : "touch /run/away");
  }

  /** Sends a signal to programs of a pair: `daemon`, `conntrackd`, `supervisor`. */
  signal(machine: Machine, signal: string, ...programs: string[]): void {
    const files = programs.map((name) => `$(cat /run/egress-bench-ha.d/${name})`).join(" ");
    this.run(machine, `kill -${signal} ${files}`);
  }

  /** The machine is gone without a word, and its kernel forgets. */
  die(machine: Machine): void {
    this.cut(machine);
    this.run(
      machine,
      "egress-bench-ha crash; sysctl -qw net.ipv4.ip_forward=0; nft delete table inet egress_bench; conntrack -F 2>/dev/null",
    );
  }

  /** All programs stand still, and nothing passes. */
  freeze(machine: Machine): void {
    this.cut(machine);
    this.signal(machine, "STOP", "daemon", "conntrackd");
  }

  thaw(machine: Machine): void {
    this.signal(machine, "CONT", "daemon", "conntrackd");
    this.mend(machine);
  }

  /** Ends whatever failure is left. */
  heal(): void {
    this.join();
    this.api(true);
    this.run("cloud", "nft delete table ip group 2>/dev/null || true");
    for (const machine of MACHINES) {
      this.mend(machine);
      this.run(
        machine,
        `sysctl -qp ${SYSCTL_FILE} >/dev/null 2>&1; sysctl -qw net.ipv4.ip_forward=1
[ ! -e /tmp/clock ] || { rm /tmp/clock; egress-bench-ha crash; EGRESS_BENCH_AWS=http://169.254.169.254/ egress-bench-ha start; }
rm -f /run/full /usr/local/sbin/conntrackd
conntrack -D -d 198.19.200.0/24 >/dev/null 2>&1 || true`,
      );
      if (this.status(machine) === null) this.boot(machine);
    }
  }

  /** The client's flows, held until they are asked for. */
  traffic(flows: number): Traffic {
    return new Traffic(this.#lab, SERVER, flows);
  }

  #start(host: "server" | "cloud", name: string, ...args: string[]): void {
    this.run(
      host,
      `cat > /tmp/${name} <<'END_OF_PROGRAM'
${program(name)}END_OF_PROGRAM
mkfifo /tmp/${name}.ready
setsid python3 /tmp/${name} ${args.join(" ")} </dev/null >/tmp/${name}.ready 2>/tmp/${name}.log &
head -n 1 /tmp/${name}.ready`,
    );
  }
}
