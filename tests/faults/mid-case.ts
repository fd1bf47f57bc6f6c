/** What goes wrong while a tool runs. */
import { setTimeout as delay } from "node:timers/promises";
import { endHost } from "../../components/local/lab/hosts.ts";
import { hostsOf } from "../helpers/lab-hosts.ts";
import type { LabStack } from "../helpers/lab-stack.ts";
import { CLIENT, type Fault, FORWARDER, SERVER, up } from "./fault.ts";

const connectVictim = { tool: "connect", durationSeconds: 5 };
const RULES = "/run/rules-before";
const RUNS = "/root/.egress-bench/runs";
const saveRules = `nft -s list ruleset > ${RULES}`;
const restoreRules = `nft flush ruleset; nft -f ${RULES}`;

/** Runs a shell script on a host. */
export const on = (host: string, script: string) => (lab: LabStack) => {
  lab.onHost(host, script);
};

/** Ends hosts as a crash would. */
export const crash =
  (...names: string[]) =>
  async (lab: LabStack) => {
    await Promise.all(
      hostsOf(lab.lab)
        .filter(({ host }) => names.includes(host))
        .map(endHost),
    );
  };

export const midCase: readonly Fault[] = [
  {
    name: "the tool is killed",
    strike: on(CLIENT, "kill -9 $(pgrep -f '[i]perf3 .*-c ') 2>/dev/null || :"),
    ends: "well",
    says: /^victim: (tool-error|bad-output): \w/,
    lost: ["victim"],
  },
  {
    name: "the tool's server is killed",
    strike: on(SERVER, "kill -9 $(pgrep -f '[i]perf3 -s')"),
    ends: "well",
    says: /^victim: control-lost: control socket has closed/,
    lost: ["victim"],
  },
  {
    name: "the tool's server hangs",
    strike: on(SERVER, "kill -STOP $(pgrep -f '[i]perf3 -s')"),
    ends: "well",
    says: /^victim: timeout: .* was ended/,
    lost: ["victim"],
    goOn: "a new runId",
  },
  {
    name: "the tool hangs",
    strike: on(CLIENT, "kill -STOP $(pgrep -f '[i]perf3 .*-c ')"),
    ends: "well",
    says: /^victim: timeout: .* was ended/,
    lost: ["victim"],
  },
  {
    name: "the process that measures is killed",
    strike: on(CLIENT, "kill -9 $(cat $(ls -t /root/.egress-bench/runs/*victim*/runner.pid | head -n 1))"),
    ends: "in failure",
    says: /was ended before it had a report; the next `pulumi up` measures this case again/,
  },
  {
    name: "the SSH connections are cut",
    strike: on(CLIENT, "kill -9 $(pgrep -f '[s]shd: root')"),
    ends: "in failure",
    says: /^error: wait: remote command exited without exit status or exit signal: running "timeout .*agent\.py run"/,
  },
  {
    name: "the SSH listener is killed",
    strike: on(CLIENT, "kill -9 $(pgrep -x socat)"),
    ends: "well",
    says: /^victim: ok/,
  },
  {
    name: "the client's daemon is killed",
    strike: on(CLIENT, "kill -9 $(pgrep -f '[a]gent.py serve')"),
    ends: "well",
    says: /^victim: ok/,
  },
  {
    name: "the server's daemon is killed",
    strike: on(SERVER, "kill -9 $(pgrep -f '[a]gent.py serve')"),
    ends: "in failure",
    says: /host lost: the agent of server was restarted during the case; the next `pulumi up`/,
  },
  {
    name: "the server's daemon is killed, and so is the process that restarts it",
    strike: on(SERVER, "kill -9 $(pgrep -f '[a]gent.py keep') $(pgrep -f '[a]gent.py serve')"),
    ends: "in failure",
    says: /host lost: host server \(198\.18\.0\.1\) answers neither .*`pulumi up --replace '\*\*::server-agent'`/,
    goOn: "the command that is printed",
  },
  {
    name: "one of two pairs is lost",
    ownLab: { pairs: 2 },
    victim: { tool: "iperf3", durationSeconds: 4, bitrate: "20M", pairs: 2 },
    strike: crash("nat-instance-client-2"),
    ends: "in failure",
    says: /host lost: the pairs did not end together: of 2 pairs only 1 came .*the next `pulumi up`/,
  },
  {
    name: "the client's disk is full",
    before: on(CLIENT, `mkdir -p ${RUNS}; mount -t tmpfs -o size=1m tmpfs ${RUNS}`),
    strike: on(CLIENT, `cat /dev/zero > ${RUNS}/filling 2>/dev/null || :`),
    repair: on(CLIENT, `umount -l ${RUNS}`),
    ends: "in failure",
    says: /ended before it had a report; the next `pulumi up`.* \(no space left on this host's disk, /,
  },
  {
    name: "the NAT instance's rules vanish",
    victim: connectVictim,
    strike: on(FORWARDER, "nft flush ruleset"),
    ends: "well",
    // The next case finds them put back.
    says: /^victim: no-route: the path was proved before the case, but not after it/,
    lost: ["victim"],
    goOn: "a new runId",
  },
  {
    name: "a kernel setting of the NAT instance is changed",
    victim: connectVictim,
    strike: on(FORWARDER, "sysctl -qw net.netfilter.nf_conntrack_tcp_timeout_established=60"),
    ends: "well",
    says: /^nat-instance-box was set up again, as something else had changed its rules or kernel settings/,
  },
  {
    name: "the NAT instance's rules are gone for two seconds",
    victim: connectVictim,
    before: on(FORWARDER, saveRules),
    strike: async (lab) => {
      lab.onHost(FORWARDER, "nft flush ruleset");
      await delay(2500);
      lab.onHost(FORWARDER, restoreRules);
    },
    ends: "well",
    says: /^victim: ok outage at [\d.]+ s for [2-5][\d.]* s/,
  },
  {
    name: "the traffic takes another way out from the middle of a case on",
    victim: connectVictim,
    before: on(SERVER, "ip route replace 198.19.1.77/32 dev eth1"),
    strike: on(
      FORWARDER,
      "ip address add 198.19.1.77/32 dev eth1; nft 'add table ip wrong; add chain ip wrong out { type nat hook postrouting priority 0; }; add rule ip wrong out snat to 198.19.1.77'",
    ),
    repair: on(FORWARDER, "nft delete table ip wrong; ip address del 198.19.1.77/32 dev eth1"),
    ends: "well",
    says: /^victim: path-mismatch: .*198\.19\.1\.77.*198\.19\.1\.1/,
    lost: ["victim", "last"],
    goOn: "a new runId",
  },
  {
    name: "the client's link goes down",
    victim: connectVictim,
    strike: on(CLIENT, "ip link set eth0 down"),
    repair: on(CLIENT, "ip link set eth0 up; ip route replace default via 198.18.1.1"),
    ends: "in failure",
    says: /host lost: host nat-instance-box \(198\.18\.1\.1\) does not answer; the next `pulumi up` measures/,
  },
  {
    name: "the client dies",
    strike: crash(CLIENT),
    ends: "in failure",
    says: /^error: wait: remote command exited without exit status or exit signal: running "timeout .*agent\.py run"/,
  },
  {
    name: "the server dies",
    victim: connectVictim,
    strike: crash(SERVER),
    ends: "in failure",
    says: /host lost: host server \(198\.18\.0\.1\) answers neither this host nor nat-instance-box/,
  },
  {
    name: "the NAT instance dies",
    victim: connectVictim,
    strike: crash(FORWARDER),
    ends: "in failure",
    says: /host lost: host nat-instance-box \(198\.18\.1\.1\) does not answer/,
  },
  {
    name: "the update is interrupted (SIGINT)",
    strike: (_, { child }) => void child.kill("SIGINT"),
    ends: "in failure",
    says: /^error: context canceled$/,
  },
  {
    name: "the update is interrupted, and a new run begins while its tool still runs",
    victim: { ...connectVictim, durationSeconds: 9 },
    strike: (_, { child }) => void child.kill("SIGINT"),
    ends: "in failure",
    says: /^error: context canceled$/,
    goOn: "a new runId",
  },
  {
    name: "the engine is killed (SIGKILL)",
    strike: (_, { child }) => void child.kill("SIGKILL"),
    ends: "killed",
    says: /error: the stack is currently locked by 1 lock/,
    goOn: "the command that is printed",
  },
  {
    name: "a second update of the stack is started",
    strike: async (lab) => {
      const { code, text } = await up(lab).ended;
      if (code === 0 || !/locked/.test(text)) {
        throw new Error(`the second update ended with ${code}: ${text.slice(-400)}`);
      }
    },
    ends: "well",
    says: /^victim: ok/,
  },
];
