/** irtt and sockperf behind faults that the path makes and counts; `npm run bench -- truth` has all tools and faults. */
import { beforeAll, expect, test } from "vitest";
import { parsePlan, servicesOf } from "../../../bench/index.ts";
import { behindFaults, prepareAgain, resultOf, sharedProbeLab, translate } from "../../helpers/nat-probes.ts";

const lab = sharedProbeLab();
const irtt = { tool: "irtt", durationSeconds: 2 };
// A process without a processor for the last 0.5 s makes a run of 2 s too short, but not one of 4 s.
const sockperf = { tool: "sockperf", protocol: "udp", messageBytes: 64, durationSeconds: 4 };

beforeAll(() => {
  translate(lab, undefined);
  const { cases } = parsePlan({ cases: [irtt, sockperf] });
  prepareAgain(lab, "server", { services: [...servicesOf(cases, "server")] });
});

let runs = 0;

/** A case's result, and what the path lost of its datagrams by direction. */
function behind(entry: object, faults: object) {
  runs += 1;
  const asked = { protocol: "udp", least: 64, ...faults };
  const { found, truth } = behindFaults(lab, asked, () => resultOf(lab, entry, `faults.${runs}`));
  return { found, egress: truth.egress, ingress: truth.ingress };
}

test("irtt distinguishes the loss of each direction", () => {
  const { found, egress, ingress } = behind(irtt, { egress: { drop: 0.25 }, ingress: { drop: 0.2 } });
  const { packets, lostPackets, lossByDirection } = found.measurement ?? {};
  expect([packets, lostPackets]).toEqual([egress.seen, egress.drop + ingress.drop]);
  // Replies that none followed may have been lost on either way.
  const unknown = lossByDirection?.unknownPackets ?? 0;
  expect(lossByDirection?.egress.lostPackets).toBeLessThanOrEqual(egress.drop);
  expect(lossByDirection?.egress.lostPackets).toBeGreaterThanOrEqual(egress.drop - unknown);
  expect(lossByDirection?.ingress.lostPackets).toBeLessThanOrEqual(ingress.drop);
  expect(lossByDirection?.ingress.lostPackets).toBeGreaterThanOrEqual(ingress.drop - unknown);
});

test("irtt does not count replies lost at the end as lost requests", () => {
  const { found, egress, ingress } = behind(irtt, { after: 100, ingress: { drop: 1 } });
  const { lostPackets, lossByDirection } = found.measurement ?? {};
  expect(ingress.drop).toBeGreaterThan(egress.seen / 4);
  expect(lostPackets).toBe(ingress.drop);
  expect(lossByDirection?.egress.lostPackets).toBe(0);
  expect(lossByDirection?.unknownPackets).toBe(ingress.drop);
});

test("irtt names no direction where datagrams are doubled, since its server counts them twice", () => {
  const { found, egress } = behind(irtt, { egress: { drop: 0.1, duplicate: 0.1 } });
  expect(egress.duplicate).toBeGreaterThan(0);
  expect(found.measurement?.lossByDirection).toBeNull();
  expect(found.measurement?.lostPackets).toBe(egress.drop);
});

test("sockperf measures its whole time without a loss, and nothing with one, whatever it claims", () => {
  const { measurement } = behind(sockperf, {}).found;
  expect(measurement?.lostPackets).toBe(0);
  // It leaves out 0.45 s, and 0.55 s more may be missing before it is refused.
  expect(measurement?.durationSeconds).toBeGreaterThan(3);
  // After what it leaves out, at whatever rate it sends.
  const { found, egress, ingress } = behind(sockperf, { outages: [[1, 2]] });
  expect(egress.lost + ingress.lost).toBe(1);
  expect(found.failure?.message).toMatch(
    /sockperf measured .* of 4 s; its UDP ping-pong stops at the first lost or cut datagram/,
  );
});
