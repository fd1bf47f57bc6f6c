/**
 * The failover probe on a path that fails in known ways: for a part of the flows, repeatedly, and only for the server's packets.
 */
import { beforeAll, expect, test } from "vitest";
import { SINK_PORT } from "../../../bench/tools/connect/index.ts";
import { judged } from "../../helpers/judged.ts";
import {
  behindFaults,
  prepareToFail,
  resultOf,
  sharedProbeLab,
  translate,
} from "../../helpers/nat-probes.ts";

const FLOWS = 100;
const FURTHER = 20;
const lab = sharedProbeLab();

beforeAll(() => {
  translate(lab, undefined);
  prepareToFail(lab);
});

/** Milliseconds between two new connections, or two echo requests. */
const INTERVAL_MS = 20;

let runs = 0;

/** The probe's figures, and what the path lost. */
function fail(outages: readonly (readonly [number, number])[], durationSeconds: number, mode?: string) {
  runs += 1;
  const entry = { tool: "failover", failure: "drain", durationSeconds, flows: FLOWS, downSeconds: 1 };
  const { found, truth } = behindFaults(lab, { signalled: true, outages, mode }, () =>
    resultOf(lab, entry, `failover.${runs}`),
  );
  if (!found.measurement?.failover) throw new Error(JSON.stringify(found.failure));
  return { found: found.measurement.failover, unanswered: truth.unanswered };
}

test("half of the flows: all survive, half of the new connections fail for as long as it lasted", () =>
  judged(
    () => fail([[0, 3]], 6, "half"),
    ({ found, unanswered }) => {
      const missed = found.missed?.new;
      expect(missed?.missed).toBe(unanswered[SINK_PORT]);
      // The longest outage of single connections is chance, and was once the only figure.
      expect(found.outages.new.ms).toBeLessThan(1500);
      // It begins some time after the request. The last connection of the unlucky half is not the last of all.
      expect(missed?.overAfterMs).toBeGreaterThan(2600);
      expect(missed?.overAfterMs).toBeLessThan(4500);
      expect(missed?.totalMs).toBeGreaterThan(900);
      expect(missed?.totalMs).toBeLessThan(2100);
      const during = found.availability?.find(({ startSeconds }) => startSeconds === 1);
      expect(during?.new).toBeGreaterThan(15);
      expect(during?.new).toBeLessThan(85);
      expect(during?.icmp).toBe(100);
      // A stream either passes or not.
      expect(during?.established).toBeCloseTo(100 * (1 - (found.streams?.failed ?? 0) / 8), -1);
      expect(found.flows.tcp.survived).toBe(FLOWS);
    },
  ));

test("five outages of 0.6 s count as five, with their real total length", () =>
  judged(
    () =>
      fail(
        [0, 1.2, 2.4, 3.6, 4.8].map((begin) => [begin, begin + 0.6] as const),
        9,
      ),
    ({ found, unanswered }) => {
      const { missed, streams } = found;
      expect(missed?.new.missed).toBe(unanswered[SINK_PORT]);
      expect(missed?.icmp?.missed).toBe(unanswered.icmp);
      // Each end of each outage is known to the time between two packets.
      const error = 5 * (INTERVAL_MS + found.lateMs);
      for (const one of [missed?.new, missed?.icmp]) {
        expect(one?.outages).toBe(5);
        expect(one?.totalMs).toBeGreaterThan(3000 - error);
        expect(one?.totalMs).toBeLessThan(3000 + error);
        expect(one?.longestMs).toBeLessThan(1500);
        expect(one?.ended).toBe(true);
      }
      expect(streams).toMatchObject({ opened: 8, failed: 8 });
      expect(streams?.totalMs.p50).toBeGreaterThan(3000 - error);
      expect(found.kinds).toMatchObject({
        sending: { opened: FURTHER, survived: FURTHER },
        receiving: { opened: FURTHER, survived: FURTHER },
        idle: { opened: FURTHER, survived: FURTHER },
      });
    },
  ));

test("a filter that waits for the client's packets silences only flows on which just the server sends", () =>
  judged(
    () => fail([[0, 60]], 8, "unheard"),
    ({ found }) => {
      expect(found.kinds).toMatchObject({
        sending: { opened: FURTHER, survived: FURTHER },
        receiving: { opened: FURTHER, survived: 0, silent: FURTHER, reset: 0 },
        idle: { opened: FURTHER, survived: FURTHER },
      });
      expect(found.flows).toMatchObject({ tcp: { survived: FLOWS }, udp: { survived: FLOWS } });
      expect(found.outages.established.ms).toBe(0);
    },
  ));
