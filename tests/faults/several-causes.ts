/**
 * Faults of several causes or of the operator's machine: two crashes, a parted network, a home of nobody.
 *
 * @module
 */
import { setTimeout as delay } from "node:timers/promises";
import type { LabStack } from "../helpers/lab-stack.ts";
import { CLIENT, type Fault, FORWARDER, SERVER, toolRuns, up } from "./fault.ts";
import { crash, on } from "./mid-case.ts";

const PARTED =
  "add table ip parted; add chain ip parted in { type filter hook input priority 0; policy drop; }";
const WINDOWS = "/root/.egress-bench/windows";

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

export const severalCauses: readonly Fault[] = [
  {
    name: "the NAT instance's rules vanish in a UDP case",
    victim: { tool: "iperf3", protocol: "udp", durationSeconds: 4, bitrate: "20M" },
    strike: on(FORWARDER, "nft flush ruleset"),
    ends: "well",
    says: /^victim: no-route: the path that was proved before the case was another one after it/,
    lost: ["victim"],
    goOn: "a new runId",
  },
  {
    name: "the server is parted from all others for two seconds",
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
    name: "the client dies, and the NAT instance as it goes on",
    strike: crash(CLIENT),
    repair: goOnAndCrash(FORWARDER),
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
      `mount -t tmpfs -o size=64k tmpfs ${WINDOWS}; cat /dev/zero > ${WINDOWS}/filling 2>/dev/null || :`,
    ),
    repair: on(SERVER, `umount -l ${WINDOWS}`),
    ends: "well",
    says: /^victim: ok/,
  },
  {
    name: "home is no directory that can be written",
    environment: { HOME: "/proc/none" },
    ends: "well",
    says: /^victim: ok/,
  },
];
