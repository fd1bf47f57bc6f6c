/**
 * Faults of several causes or of the operator's machine: two crashes, a parted network, a cancel, a plugin that hangs.
 */
import { existsSync } from "node:fs";
import { setTimeout as delay } from "node:timers/promises";
import type { LabStack } from "../helpers/lab-stack.ts";
import {
  CLIENT,
  type Fault,
  FORWARDER,
  pulumi,
  SERVER,
  startedBy,
  toolRuns,
  type Update,
  up,
} from "./fault.ts";
import { crash, on } from "./mid-case.ts";

const PARTED =
  "add table ip parted; add chain ip parted in { type filter hook input priority 0; policy drop; }";
const AGENT = "/root/.egress-bench";

/** Ids of the command plugin's processes that an update started. */
function pluginsOf(update: Update): number[] {
  return startedBy(update)
    .filter(({ command }) => /command-standin|pulumi-resource-command/.test(command))
    .map(({ pid }) => pid);
}

/** Runs a command of Pulumi's; throws with its output where it fails. */
async function mustEndWell(update: Update): Promise<void> {
  const { code, text } = await update.ended;
  if (code !== 0) {
    throw new Error(`it ended with ${code}: ${text.slice(-600)}`);
  }
}

/** Goes on, and has another host die while the victim's tool runs again. */
const goOnAndCrash = (host: string) => async (lab: LabStack) => {
  const update = up(lab);
  await toolRuns(lab, update);
  await crash(host)(lab);
  const { code } = await update.ended;
  if (code === 0) {
    throw new Error("the second crash was not noticed");
  }
};

let stopped: number[] = [];

export const severalCauses: readonly Fault[] = [
  {
    name: "the NAT instance's rules vanish in a UDP case",
    victim: { tool: "iperf3", protocol: "udp", durationSeconds: 4, bitrate: "20M" },
    strike: on(FORWARDER, "nft flush ruleset"),
    ends: "well",
    says: /^victim: no-route: the path was proved before the case, but not after it/,
    lost: ["victim"],
    goOn: "a new runId",
  },
  {
    name: "the server is cut off from all others for two seconds",
    victim: { tool: "connect", durationSeconds: 5 },
    strike: async (lab) => {
      lab.onHost(SERVER, `nft '${PARTED}'`);
      await delay(2500);
      lab.onHost(SERVER, "nft delete table ip parted");
    },
    ends: "well",
    says: /^victim: ok outage at [\d.]+ s for [2-5][\d.]* s/,
  },
  {
    name: "the client dies, and the NAT instance when the run continues",
    strike: crash(CLIENT),
    repair: goOnAndCrash(FORWARDER),
    ends: "in failure",
    says: /^error: wait: remote command exited without exit status or exit signal: running "timeout .*agent\.py run"/,
  },
  {
    name: "the client dies, and again when the run continues",
    strike: crash(CLIENT),
    repair: goOnAndCrash(CLIENT),
    ends: "in failure",
    says: /^error: wait: remote command exited without exit status or exit signal: running "timeout .*agent\.py run"/,
  },
  {
    name: "NAT instance and server die at once",
    victim: { tool: "connect", durationSeconds: 5 },
    strike: crash(FORWARDER, SERVER),
    ends: "in failure",
    says: /host lost: host (server|nat-instance-box) \(198\.18\.[\d.]+\) (does not answer|answers neither)/,
  },
  {
    name: "the server's disk is full",
    before: on(
      SERVER,
      `mount -t tmpfs -o size=4m tmpfs /mnt; cp -a ${AGENT}/. /mnt; cat /dev/zero > /mnt/filling 2>/dev/null || :
      mount --bind /mnt ${AGENT}`,
    ),
    repair: on(SERVER, `umount -l ${AGENT} /mnt`),
    ends: "in failure",
    says: /^the agent cannot be written to \/root\/\.egress-bench\b.*: No space left on device$/,
  },
  {
    name: "the home directory cannot be written",
    environment: { HOME: "/proc/none" },
    ends: "well",
    says: /^victim: ok/,
  },
  {
    name: "the update is cancelled (pulumi cancel), and all is destroyed",
    ownLab: {},
    strike: (lab) => mustEndWell(pulumi(lab, "cancel", "--yes")),
    repair: async (lab) => {
      await mustEndWell(pulumi(lab, "destroy", "--yes", "--non-interactive"));
      if (lab.hosts().length > 0) {
        throw new Error(`left after the destroy: ${lab.hosts()}`);
      }
    },
    ends: "well",
    says: /^victim: ok/,
  },
  {
    name: "the command plugin hangs, and the update is interrupted",
    strike: async (_, update) => {
      stopped = pluginsOf(update);
      if (stopped.length === 0) {
        throw new Error("the update has no command plugin");
      }
      for (const pid of stopped) process.kill(pid, "SIGSTOP");
      update.child.kill("SIGINT");
      await delay(2000);
      update.child.kill("SIGINT");
    },
    repair: () => {
      const left = stopped.filter((pid) => existsSync(`/proc/${pid}`));
      if (left.length > 0) {
        throw new Error(`the plugin is left behind: ${left}`);
      }
    },
    ends: "in failure",
    says: /^\^C received; cancelling\. If you would like to terminate immediately, press \^C again/,
  },
];
