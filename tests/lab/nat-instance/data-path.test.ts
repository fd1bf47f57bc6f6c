/**
 * The data's own path: behind a NAT instance that gives UDP another address than TCP, the proof over TCP passes, and what
 * UDP measures is another path. The kernel's own NAT between namespaces.
 */
import { expect, test } from "vitest";
import { caseResult } from "../../../bench/assemble/case-result.ts";
import type { Case } from "../../../bench/plan/plan.ts";
import { caseOf, labSpec, runInLab } from "../../helpers/lab-runs.ts";
import { BOX, type NatLab } from "../../helpers/nat-lab.ts";
import { probeLab } from "../../helpers/nat-probes.ts";

const OTHER = "198.19.1.77";

const udpElsewhere = `
ip address add ${OTHER}/24 dev eth1
nft add table ip by_protocol
nft 'add chain ip by_protocol post { type nat hook postrouting priority 50; }'
nft add rule ip by_protocol post oifname eth1 meta l4proto udp snat to ${OTHER}
`;

const cases = {
  tcp: caseOf({ tool: "iperf3", bitrate: "10M", durationSeconds: 3 }),
  udp: caseOf({ tool: "iperf3", protocol: "udp", bitrate: "2M", durationSeconds: 3 }),
  irtt: caseOf({ tool: "irtt", durationSeconds: 2 }),
  connect: caseOf({ tool: "connect", durationSeconds: 2 }),
};

const measure = (lab: NatLab, one: Case) => {
  const spec = labSpec(one);
  const report = runInLab(lab, spec);
  return caseResult({ topology: "nat-instance", case: one, command: spec.command, report });
};

test("UDP that a NAT gives another address fails, and TCP beside it does not", async () => {
  const lab = await probeLab({});
  // As it should be: every protocol comes from the box's one address.
  for (const one of Object.values(cases)) {
    const { failure, sourceIp, dataSources } = measure(lab, one);
    expect({ id: one.id, failure, sourceIp }).toEqual({ id: one.id, failure: null, sourceIp: BOX });
    expect(new Set(dataSources?.map(({ address }) => address))).toEqual(new Set([BOX]));
  }

  lab.run("box", udpElsewhere);
  for (const one of [cases.tcp, cases.connect]) {
    expect(measure(lab, one)).toMatchObject({ status: "ok", sourceIp: BOX });
  }
  for (const one of [cases.udp, cases.irtt]) {
    const { failure, sourceIp } = measure(lab, one);
    // What the proof alone sees is right.
    expect(sourceIp).toBe(BOX);
    expect(failure).toMatchObject({ class: "path-mismatch" });
    expect(failure?.message).toContain(`the test's own UDP come from ${OTHER}`);
    expect(failure?.message).toContain(`expected ${BOX}`);
  }
});
