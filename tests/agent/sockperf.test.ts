/** The real sockperf, through a relay that drops one datagram of many. */
import { createSocket } from "node:dgram";
import { once } from "node:events";
import { expect, it, onTestFinished } from "vitest";
import { ToolFailure } from "../../bench/index.ts";
import { type SockperfCase, sockperf } from "../../bench/tools/sockperf/index.ts";
import { preparedHost } from "../helpers/prepared-host.ts";

const host = preparedHost();

// A process without a processor for the last 0.5 s makes a run of 2 s too short, but not one of 4 s.
const udp: SockperfCase = {
  ...{ id: "udp", tool: "sockperf", protocol: "udp", direction: "egress", messageBytes: 64 },
  ...{ durationSeconds: 4, omitSeconds: 0, load: null },
};

/** A port that passes datagrams on, except for one: the first after so many milliseconds. 0: none. */
async function relay(dropAfterMs: number): Promise<number> {
  const [front, back] = [createSocket("udp4"), createSocket("udp4")];
  onTestFinished(() => [front, back].forEach((socket) => void socket.close()));
  front.bind(0, "127.0.0.1");
  await once(front, "listening");
  let [client, began, dropped] = [0, 0, dropAfterMs === 0];
  front.on("message", (message, { port }) => {
    client = port;
    began ||= performance.now();
    const isDue = !dropped && performance.now() - began > dropAfterMs;
    dropped ||= isDue;
    if (!isDue) back.send(message, host.ports.sockperf, "127.0.0.1");
  });
  back.on("message", (message) => front.send(message, client, "127.0.0.1"));
  return front.address().port;
}

let runs = 0;

async function measure(dropAfterMs: number) {
  const port = await relay(dropAfterMs);
  const command = sockperf.command(udp, "127.0.0.1").replace(/-p \d+/, `-p ${port}`);
  const { stdout, stderr, exitCode } = await host.run({ key: `udp-${dropAfterMs}-${++runs}`, command });
  return () => sockperf.parse(stdout, { case: udp, exitCode, timedOut: false, stderr });
}

it("without a loss it measures its whole time", async () => {
  const { measurement } = (await measure(0))();
  expect(measurement.lostPackets).toBe(0);
  // It leaves out 0.45 s, and 0.55 s more may be missing before it is refused.
  expect(measurement.durationSeconds).toBeGreaterThan(3);
});

it("with one datagram lost it is no measurement, whatever it claims", async () => {
  const parsed = await measure(700);
  expect(parsed).toThrow(ToolFailure);
  expect(parsed).toThrow(/sockperf measured .* of 4 s; its UDP ping-pong stops at the first lost datagram/);
});
