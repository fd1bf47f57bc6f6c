/**
 * Searches with the real tool over a link of a known rate: client and server with a router between them, as in a stack.
 *
 * The link's 200 Mbit/s count whole Ethernet frames (tbf, without preamble and checksum), iperf3's rate counts payload: of
 * a frame of 1014 bytes 972, after headers of 14 (Ethernet), 20 (IPv4) and 8 (UDP). So the link carries 191.7 Mbit/s of
 * payload; results are compared as frames. They may be slightly higher: bucket and queue of the link take 12 Mbit before
 * anything is dropped, which is 3 % of a trial of 2 s.
 *
 * The link is the router's. At the client's own end it would be no path: a full queue there makes the sender wait.
 */
import { expect, test } from "vitest";
import { parsePlan } from "../../../bench/plan/parse-plan.ts";
import type { Measurement } from "../../../bench/results/index.ts";
import { search } from "../../../bench/tools/search/index.ts";
import type { SearchCase } from "../../../bench/tools/search/plan.ts";
import { shapingCommands } from "../../../components/local/lab/shaping.ts";
import { installAgent } from "../../helpers/agent-files.ts";
import { judged } from "../../helpers/judged.ts";
import { type NatLab, natLab, SERVER, sharedLab } from "../../helpers/nat-lab.ts";

const LINK = 200e6;
const FRAME_BY_PAYLOAD = 1014 / 972;

/**
 * Highest priority on the machine: iperf3's receive buffer lasts for 9 ms at this rate, and losses while the receiver waits
 * for a CPU would look like the link's.
 */
const FIRST = "chrt --fifo 1";

const shaping = shapingCommands("eth1", { bitsPerSecond: LINK })
  .map((words) => words.join(" "))
  .join("\n");

async function labWithLink(atEnd: Parameters<typeof natLab>[0]): Promise<NatLab> {
  const lab = await natLab(atEnd);
  lab.run("instance", `sysctl -qw net.ipv4.ip_forward=1\n${shaping}`);
  lab.run("server", `${FIRST} iperf3 -s -D`);
  lab.run("client", installAgent("/root"));
  return lab;
}

/** The tool's measurement when the client runs its command. */
function measure(lab: NatLab, input: object): Measurement {
  const [benchCase] = parsePlan({ cases: [{ tool: "search", ...input }] }).cases as [SearchCase];
  const stdout = lab.run("client", `cd /root; ${FIRST} ${search.command(benchCase, SERVER)}`);
  return search.parse(stdout, { case: benchCase, exitCode: 0, timedOut: false, stderr: "" }).measurement;
}

const lab = sharedLab(labWithLink);

test("ndr finds the rate of a link", async () => {
  const rates = { datagramBytes: 972, minBitrate: "175M", maxBitrate: "220M", lossPercent: 0.5 };
  const rule = { precisionPercent: 2, durationSeconds: 2, durationSumSeconds: 6 };
  await judged(
    () => measure(lab, { goal: "ndr", ...rates, ...rule }),
    (ndr) => {
      const found = ndr.search!.found! * FRAME_BY_PAYLOAD;
      expect(ndr.search).toMatchObject({
        ...{ goal: "ndr", lossBoundPercent: 0.5, confirmed: true, limitedBy: "path" },
      });
      expect(ndr.search!.trials[0]).toMatchObject({ offeredBitsPerSecond: 220e6, passed: false });
      expect(found).toBeGreaterThan(0.95 * LINK);
      expect(found).toBeLessThan(1.05 * LINK);
      expect(ndr.lostPercent).toBeLessThanOrEqual(0.5);
      expect(ndr.sentBitsPerSecond! / ndr.search!.found!).toBeCloseTo(1, 1);
      expect(ndr.streams).toHaveLength(1);
    },
  );
});

test("no rate passes that a deep queue holds: 8 MB before 20 Mbit/s", async () => {
  const deep = (rate: string) =>
    lab.run("instance", `tc qdisc replace dev eth1 root tbf rate ${rate} burst 16k limit 8000000`);
  deep("20mbit");
  const rates = { datagramBytes: 972, minBitrate: "10M", maxBitrate: "40M", precisionPercent: 2 };
  await judged(
    () => measure(lab, { goal: "ndr", ...rates, durationSeconds: 1, durationSumSeconds: 3 }),
    ({ search, ...best }) => {
      // A trial of a second lost nothing at twice the rate.
      expect(search!.trials[0]).toMatchObject({ lostPackets: 0, passed: false });
      const found = (search!.found! * FRAME_BY_PAYLOAD) / 20e6;
      expect(found).toBeGreaterThan(0.95);
      expect(found).toBeLessThan(1.04);
      expect(best.bitsPerSecond! / best.sentBitsPerSecond!).toBeGreaterThan(0.96);
    },
  );
  lab.run("instance", `tc qdisc del dev eth1 root; ${shaping}`);
});

test("peak finds a number of streams that fills the link", async () => {
  await judged(
    () => measure(lab, { goal: "peak", maxStreams: 4, precisionPercent: 5, durationSeconds: 1 }),
    (peak) => {
      const carried = new Map(peak.search!.trials.map((one) => [one.streams, one.receivedBitsPerSecond!]));
      expect([...carried.keys()]).toEqual(expect.arrayContaining([1, 2, 4]));
      expect(peak.streams).toHaveLength(peak.search!.found!);
      expect(peak.bitsPerSecond! / Math.max(...carried.values())).toBeGreaterThan(0.9);
      expect(peak.bitsPerSecond).toBeLessThan(1.1 * LINK);
    },
  );
});
