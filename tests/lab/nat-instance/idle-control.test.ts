/**
 * A test that outlives the NAT's idle time-out: iperf3's control connection is silent meanwhile. The kernel's own NAT between
 * namespaces, which forgets a silent connection after 5 s, and a test of 12 s. Not proved: a cloud's own NAT.
 */
import { expect, test } from "vitest";
import { caseResult } from "../../../bench/assemble/case-result.ts";
import { caseOf, labSpec, runInLab } from "../../helpers/lab-runs.ts";
import type { NatLab } from "../../helpers/nat-lab.ts";
import { probeLab } from "../../helpers/nat-probes.ts";

const IDLE_SECONDS = 5;

/** What it does not know it resets, as AWS's does: Linux's own would take a connection up in its midst. */
const forgetful = `
sysctl -qw net.netfilter.nf_conntrack_tcp_timeout_established=${IDLE_SECONDS} net.netfilter.nf_conntrack_tcp_loose=0
nft add table inet strict
nft 'add chain inet strict forward { type filter hook forward priority -10; }'
nft add rule inet strict forward ct state invalid meta l4proto tcp reject with tcp reset
`;

const udp = caseOf({ tool: "iperf3", protocol: "udp", bitrate: "1M", durationSeconds: 12 });

function measure(lab: NatLab, keepAliveSeconds: number) {
  const spec = labSpec(udp, { keepAliveSeconds, retry: { patterns: [], attempts: 1, delaySeconds: 0 } });
  const report = runInLab(lab, spec);
  return caseResult({ topology: "nat-instance", case: udp, command: spec.command, report });
}

test("a control connection that is kept alive outlives a NAT's idle time-out, and one that is not is lost by its class", async () => {
  const lab = await probeLab({ dataPlane: "nftables" });
  lab.run("box", forgetful);
  // As if nothing kept it alive: the first probe would come after the test.
  const lost = measure(lab, 60);
  expect(lost.failure).toMatchObject({ class: "control-lost" });
  expect(lost.failure?.message).toContain("unable to send control message: Broken pipe");

  // The server goes on with that test: it is started anew, or it would be busy for the next one.
  const kept = measure(lab, 2);
  expect(kept.failure).toBeNull();
  expect(kept.measurement?.durationSeconds).toBeGreaterThan(11);
  expect(kept.measurement?.bitsPerSecond).toBeGreaterThan(0.9e6);
});
