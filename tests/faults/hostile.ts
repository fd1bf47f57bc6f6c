/** Hosts that are hostile or short of something, and an operator's machine with little memory. */
import { readlinkSync } from "node:fs";
import { setTimeout as delay } from "node:timers/promises";
import { initProcess } from "../../components/local/lab/living-hosts.ts";
import { processIds } from "../../components/local/lab/processes.ts";
import { type ControlGroup, controlGroup } from "../helpers/control-group.ts";
import type { LabStack } from "../helpers/lab-stack.ts";
import { CLIENT, type Fault, SERVER } from "./fault.ts";
import { on } from "./mid-case.ts";

const RUNS = "/root/.egress-bench/runs";
const HOST_KEY = "/etc/egress-bench/host_key";
/** Pulumi takes 86 MB for each megabyte that a host prints: 860 MB where one prints 10 MB, and 220 MB without. */
const OPERATOR_BYTES = 1200 * 2 ** 20;
const CLIENT_BYTES = 160 * 2 ** 20;
const operator = controlGroup("memory", "operator");
const client = controlGroup("memory", "client");
const clientPids = controlGroup("pids", "client");
const operatorFreezer = controlGroup("freezer", "operator");
const hostFreezer = controlGroup("freezer", "host");
/** Bytes of a state with hostile reports of 10 MB. */
const MOST_STATE = 20e6;

/** Puts a shell script in the place of a program of the client, which it reaches as `NAME.away`. */
const instead = (program: string, script: string) =>
  on(
    CLIENT,
    `mv /usr/bin/${program} /usr/bin/${program}.away; cat > /usr/bin/${program} <<'END'\n#!/bin/sh\n${script}\nEND\nchmod 755 /usr/bin/${program}`,
  );
const back = (program: string) => on(CLIENT, `mv /usr/bin/${program}.away /usr/bin/${program}`);

/** Prints a line of 10 MB, lists 200,000 deep, and for the last case its report with more keys, of which one is there twice. */
const HOSTILE_AGENT = `case "$*" in *"agent.py run"*) ;; *) exec python3.away "$@" ;; esac
spec=$(cat)
case $spec in
*.first.*) head -c 10000000 /dev/zero | tr '\\0' x ;;
*.victim.*) python3.away -c 'print("[" * 200000 + "]" * 200000)' ;;
*) printf %s "$spec" | python3.away "$@" | python3.away -c '
import base64, sys, zlib
report = zlib.decompress(base64.b64decode(sys.stdin.read())).decode()
more = "\\"__proto__\\": {\\"failure\\": {}}, \\"failure\\": {\\"class\\": \\"timeout\\", \\"message\\": \\"\\"}, "
print(base64.b64encode(zlib.compress(("{" + more + report[1:]).encode(), 9)).decode())' ;;
esac`;

function processesOf({ lab }: LabStack, host: string): number[] {
  const space = (pid: number) => {
    try {
      return readlinkSync(`/proc/${pid}/ns/pid`);
    } catch {
      return ""; // it has ended meanwhile
    }
  };
  const own = space(initProcess(lab, host).pid);
  return processIds().filter((pid) => space(pid) === own);
}

/** Freezes a group's processes for some seconds. */
async function freeze(group: ControlGroup, seconds: number): Promise<void> {
  group.set(1);
  await delay(seconds * 1000);
  group.set(0);
}

/** A host whose processes all stand still meanwhile; its kernel goes on. */
const frozen = (host: string, seconds: number): Pick<Fault, "name" | "before" | "strike" | "repair"> => ({
  name: `all processes of ${host} are frozen for ${seconds} s`,
  before: () => hostFreezer.make(),
  strike: async (lab) => {
    hostFreezer.join(processesOf(lab, host));
    await freeze(hostFreezer, seconds);
  },
  repair: () => hostFreezer.end(),
});

export const hostile: readonly Fault[] = [
  {
    ...frozen(CLIENT, 3),
    victim: { tool: "connect", durationSeconds: 6 },
    ends: "well",
    says: /^victim: ok/,
  },
  {
    ...frozen(SERVER, 3),
    victim: { tool: "connect", durationSeconds: 6 },
    ends: "well",
    says: /^victim: ok/,
  },
  {
    name: "the update is frozen for 15 s",
    by: operatorFreezer.by,
    before: () => operatorFreezer.make(),
    strike: () => freeze(operatorFreezer, 15),
    repair: () => operatorFreezer.end(),
    ends: "well",
    says: /^victim: ok/,
  },
  {
    name: "the client may start no more processes",
    before: (lab) => {
      clientPids.make();
      clientPids.join(processesOf(lab, CLIENT));
    },
    strike: () => clientPids.set(clientPids.size()),
    repair: () => clientPids.end(),
    ends: "in failure",
    says: /was ended before it had a report; the next `pulumi up`.*\(RuntimeError: can't start new thread\)/,
  },
  {
    name: "client and server exchange their host keys",
    strike: (lab) => {
      const keys = [CLIENT, SERVER].map((host) => lab.onHost(host, `cat ${HOST_KEY}`));
      for (const [at, host] of [SERVER, CLIENT].entries())
        lab.onHost(host, `cp -p ${HOST_KEY} ${HOST_KEY}.away; cat > ${HOST_KEY} <<'END'\n${keys[at]}END`);
    },
    repair: (lab) => {
      for (const host of [SERVER, CLIENT]) lab.onHost(host, `mv ${HOST_KEY}.away ${HOST_KEY}`);
    },
    ends: "in failure",
    says: /ssh: handshake failed: ssh: host key mismatch/,
  },
  {
    name: "the agent answers with a line of 10 MB, lists 200,000 deep, __proto__ and a key twice; 1.2 GB for the operator",
    by: operator.by,
    before: (lab) => {
      operator.make(OPERATOR_BYTES);
      instead("python3", HOSTILE_AGENT)(lab);
    },
    repair: (lab) => {
      back("python3")(lab);
      operator.end();
      const { length } = lab.storedState();
      if (length > MOST_STATE) throw new Error(`the state has ${length} bytes`);
    },
    ends: "well",
    says: /^victim: bad-output: expected the host agent's report; got 400000 bytes/,
    lost: ["first", "victim"],
  },
  {
    name: "a tool prints without end, on a host with 160 MB",
    before: (lab) => {
      instead("iperf3", 'case "$*" in *-c*) exec cat /dev/zero ;; *) exec iperf3.away "$@" ;; esac')(lab);
      client.make(CLIENT_BYTES);
      client.join(processesOf(lab, CLIENT));
    },
    repair: (lab) => {
      client.end();
      back("iperf3")(lab);
    },
    ends: "well",
    says: /^victim: [a-z-]+: \w/,
    lost: ["victim"],
  },
  {
    name: "the client's inodes are used up",
    before: on(CLIENT, `mkdir -p ${RUNS}; mount -t tmpfs -o size=8m,nr_inodes=64 tmpfs ${RUNS}`),
    strike: on(CLIENT, `cd ${RUNS}; seq 200 | xargs touch 2>/dev/null || :`),
    repair: on(CLIENT, `umount -l ${RUNS}`),
    ends: "in failure",
    says: /ended before it had a report; the next `pulumi up`/,
  },
];
