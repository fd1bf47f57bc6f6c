/**
 * A pair of NAT instances in a virtual network whose router answers like EC2, and really moves an address and a route; with
 * a client's traffic through it.
 */
import { readFileSync } from "node:fs";
import { runInHost } from "../../../components/local/lab/enter.ts";
import { initProcess } from "../../../components/local/lab/living-hosts.ts";
import { natSetup } from "../../../components/nat-instance/index.ts";
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

export const KINDS = ["echo", "download", "idle", "udp"] as const;
export type Kind = (typeof KINDS)[number];

/** Measurements of a trial. */
export interface Outcome {
  readonly outageMs: number;
  /** End of the longest outage, in seconds of the kernel's monotonic clock. */
  readonly endedAt: number;
  readonly back: boolean;
  readonly of: number;
  readonly survived: Readonly<Record<Kind, number>>;
}

/** Status reported by the pair's program. */
export interface Status extends Readonly<Record<"ready" | "sync_running" | "peer_sync_running", boolean>> {
  readonly role: string;
  readonly carries: boolean | null;
  readonly refused_total: number;
  /** Seconds since 1970. */
  readonly written: number;
}

/** Age up to which the program's own command accepts its status file. */
const FRESH_MS = 5000;

/**
 * Status in the host of a process; null: none, or none that is fresh. Read from the program's file, since running its command
 * repeatedly would occupy a CPU.
 *
 * @param ahead Seconds by which the program's clock is ahead.
 */
export function statusIn(pid: number, ahead = 0): Status | null {
  try {
    const status = JSON.parse(readFileSync(`/proc/${pid}/root/run/egress-bench-ha.json`, "utf8")) as Status;
    const age = Date.now() - (status.written - ahead) * 1000;
    return Math.abs(age) < FRESH_MS ? status : null;
  } catch (error) {
    if ((error as NodeJS.ErrnoException).code === "ENOENT") return null;
    throw error;
  }
}

/** The running hosts, with actions on them and observations. */
export class PairLab {
  readonly #lab: string;
  readonly #processes = new Map<Machine, number>();
  /** Seconds by which the programs' clocks are ahead. */
  #ahead = 0;

  constructor(lab: string) {
    this.#lab = lab;
  }

  /** Runs a shell script in a host. @throws {Error} with its output */
  run(host: (typeof PAIR_HOSTS)[number], script: string): string {
    return runInHost(this.#lab, host, script);
  }

  /** Connects links, routes, the cloud and the far end. */
  connect(): void {
    connectPair(this.#lab);
    this.#start("server", "far-end.py");
    this.#start("cloud", "cloud.py", ...MACHINES.map((name) => `${name}=${name}=${ADDRESS[name]}`));
  }

  /** Prepares everything, including both machines' set-up. */
  setUp(): void {
    this.connect();
    for (const machine of MACHINES) {
      // Small enough to fill.
      this.run(machine, "mount -t tmpfs -o size=16m,nr_inodes=2000 tmpfs /run");
      this.boot(machine);
    }
  }

  boot(machine: Machine): void {
    this.run(machine, this.setUpScript(machine));
  }

  /** Runs the set-up as a unit does that retries after a failure; does not wait for it. */
  bootAgainAndAgain(machine: Machine, unit: { patienceSeconds: number; restartSeconds: number }): void {
    this.run(
      machine,
      `cat > /tmp/set-up <<'END_OF_SET_UP'
${this.setUpScript(machine)}END_OF_SET_UP
export EGRESS_BENCH_PATIENCE=${unit.patienceSeconds}
setsid sh -c 'until sh /tmp/set-up; do sleep ${unit.restartSeconds}; done' </dev/null >/tmp/set-up.log 2>&1 &`,
    );
  }

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
    return `export EGRESS_BENCH_AWS=http://169.254.169.254/\n${script}`;
  }

  /** Null without a fresh status. */
  status(machine: Machine): Status | null {
    return statusIn(this.#process(machine), this.#ahead);
  }

  #process(machine: Machine): number {
    const known = this.#processes.get(machine) ?? initProcess(this.#lab, machine).pid;
    this.#processes.set(machine, known);
    return known;
  }

  /** Machine that the cloud's route and moving address point to. */
  carrier(): Machine | null {
    const routes = this.run("cloud", `ip route show table 100; ip route show ${MOVING}`);
    const found = MACHINES.filter((name) => routes.split(` dev ${name} `).length === 3);
    return found[0] ?? null;
  }

  /** Drops all of a machine's packets, or only leaving (`out`) or arriving (`in`) ones. */
  cut(machine: Machine, way: "in" | "out" | "both" = "both"): void {
    const chain = (hook: string) =>
      `chain ${hook} { type filter hook ${hook} device "${machine}" priority -500; policy drop; }`;
    // Packets that leave the machine arrive at the cloud.
    const chains = {
      in: [chain("egress")],
      out: [chain("ingress")],
      both: [chain("ingress"), chain("egress")],
    };
    this.run("cloud", `nft 'table netdev cut_${machine} {\n${chains[way].join("\n")}\n}'`);
  }

  /** Makes a machine track many more open connections, as far as its table allows, for 60 s; more begin after the first ones. */
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

  /** Keeps the two from hearing each other; or, with a share, loses that part of their messages. */
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

  /** Points address and route nowhere, as before a pair's first boot. */
  leadNowhere(): void {
    this.run("cloud", `ip route flush table 100; ip route del ${MOVING}; ${NOWHERE}; touch /run/new`);
  }

  /** Sets the network's filter before each machine. */
  filter(group: Group): void {
    this.run("cloud", `nft -f - <<'END'\n${groupRules(group, SERVER)}END`);
  }

  /** Makes both machines forget flows after this silence. */
  forgetAfter(seconds: number): void {
    const names = ["udp_timeout", "udp_timeout_stream", "tcp_timeout_established"];
    for (const machine of MACHINES) {
      this.run(
        machine,
        `sysctl -qw ${names.map((name) => `net.netfilter.nf_conntrack_${name}=${seconds}`).join(" ")}`,
      );
    }
  }

  /** Gives the pair's programs their own clock, set by {@link setClocks}: the machine's clock is shared by everything. */
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

  /** @param seconds Offset of the programs' clock to the machine's. */
  setClocks(seconds: number): void {
    this.#ahead = seconds;
    for (const machine of MACHINES) this.run(machine, `echo ${seconds} > /tmp/clock`);
  }

  /** Sets whether the cloud's API answers. */
  api(answers: boolean): void {
    this.run("cloud", answers ? "rm -f /run/away" : "touch /run/away");
  }

  /** Sends a signal to programs of a pair: `daemon`, `conntrackd`, `supervisor`. */
  signal(machine: Machine, signal: string, ...programs: string[]): void {
    const files = programs.map((name) => `$(cat /run/egress-bench-ha.d/${name})`).join(" ");
    this.run(machine, `kill -${signal} ${files}`);
  }

  /** Kills the machine without notice; its kernel forgets everything. */
  die(machine: Machine): void {
    this.cut(machine);
    this.run(
      machine,
      "egress-bench-ha crash; sysctl -qw net.ipv4.ip_forward=0; nft delete table inet egress_bench; conntrack -F 2>/dev/null",
    );
  }

  /** Stops all programs and all traffic. */
  freeze(machine: Machine): void {
    this.cut(machine);
    this.signal(machine, "STOP", "daemon", "conntrackd");
  }

  thaw(machine: Machine): void {
    this.signal(machine, "CONT", "daemon", "conntrackd");
    this.mend(machine);
  }

  /** Ends all failures. */
  heal(): void {
    this.#ahead = 0;
    this.join();
    this.api(true);
    this.run("cloud", "nft delete table ip group 2>/dev/null || true");
    for (const machine of MACHINES) {
      this.mend(machine);
      this.run(
        machine,
        `sysctl -qp ${SYSCTL_FILE} >/dev/null 2>&1; sysctl -qw net.ipv4.ip_forward=1
[ ! -e /tmp/clock ] || { rm /tmp/clock; egress-bench-ha crash; EGRESS_BENCH_AWS=http://169.254.169.254/ egress-bench-ha start; }
rm -rf /run/full /usr/local/sbin/conntrackd
conntrack -D -d 198.19.200.0/24 >/dev/null 2>&1 || true`,
      );
      if (this.status(machine) === null) this.boot(machine);
    }
  }

  /** The client's flows, held until their results are requested. */
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
