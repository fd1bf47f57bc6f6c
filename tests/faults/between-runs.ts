/** What has gone wrong on hosts when an update begins. */
import { CLIENT, type Fault, FORWARDER, SERVER } from "./fault.ts";
import { crash } from "./mid-case.ts";

const CUT =
  "add table ip cut; add chain ip cut through { type filter hook forward priority 0; policy drop; }";

export const betweenRuns: readonly Fault[] = [
  {
    name: "a host lacks a tool of the plan",
    before: (lab) => void lab.onHost(CLIENT, "mv /usr/bin/iperf3 /usr/bin/iperf3.away"),
    repair: (lab) => void lab.onHost(CLIENT, "mv /usr/bin/iperf3.away /usr/bin/iperf3"),
    ends: "in failure",
    says: /host nat-instance-client lacks iperf3: install what provides it/,
  },
  {
    name: "a tool prints garbage with escape sequences",
    before: (lab) =>
      void lab.onHost(
        CLIENT,
        'mv /usr/bin/iperf3 /usr/bin/iperf3.away; printf \'#!/bin/sh\\ncase "$*" in *-c*) printf "\\\\033[31m\\\\033]0;owned\\\\007%%s" nonsense ;; *) exec iperf3.away "$@" ;; esac\\n\' > /usr/bin/iperf3; chmod 755 /usr/bin/iperf3',
      ),
    repair: (lab) => void lab.onHost(CLIENT, "mv /usr/bin/iperf3.away /usr/bin/iperf3"),
    ends: "well",
    says: /^victim: bad-output: [ -~]+$/,
    lost: ["victim"],
  },
  {
    name: "the NAT instance does not forward any more",
    before: (lab) => void lab.onHost(FORWARDER, "echo 0 > /proc/sys/net/ipv4/ip_forward"),
    ends: "well",
    says: /^victim: ok/,
  },
  {
    name: "the NAT instance has lost its rules",
    before: (lab) => void lab.onHost(FORWARDER, "nft flush ruleset"),
    ends: "well",
    says: /^victim: ok/,
  },
  {
    name: "something on the way drops all traffic",
    before: (lab) => void lab.onHost(FORWARDER, `nft '${CUT}'`),
    repair: (lab) => void lab.onHost(FORWARDER, "nft delete table ip cut"),
    ends: "well",
    says: /^victim: no-route: no answer from the server's agent/,
    lost: ["first", "victim", "last"],
    goOn: "a new runId",
  },
  {
    name: "the agent's files are tampered with",
    before: (lab) => void lab.onHost(CLIENT, "echo 'raise SystemExit(9)' > /root/.egress-bench/agent.py"),
    ends: "well",
    says: /^victim: ok/,
  },
  {
    name: "the agent's secret is tampered with",
    before: (lab) =>
      void lab.onHost(SERVER, "echo another-secret-than-the-stack > /root/.egress-bench/secret"),
    ends: "well",
    says: /^victim: ok/,
  },
  {
    name: "the machine was rebooted: all hosts are gone",
    before: crash(CLIENT, FORWARDER, SERVER),
    ends: "well",
    says: /^victim: ok/,
  },
  {
    name: "the server is gone",
    before: crash(SERVER),
    ends: "well",
    says: /^victim: ok/,
  },
];
