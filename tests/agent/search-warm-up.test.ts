/** Loss of a search's trial after the warm-up, by the server's own count. */
import { expect, it } from "vitest";
import { evaluate } from "../helpers/agent-host.ts";

// Datagrams sent after the warm-up: 1,000. In the warm-up 300 were lost.
it.each<[string, object, string, number | null, number]>([
  ["the server's count", { lost_packets: 400, packets: 1000 }, "100/1000 (10%)  receiver", 400, 10],
  ["nothing of the warm-up's", { lost_packets: 300, packets: 1000 }, "0/1000 (0%)  receiver", 300, 0],
  ["the last ones too", { lost_packets: 300, packets: 900 }, "0/900 (0%)  receiver", 400, 10],
  [
    "the last stated sum",
    { lost_packets: 300, packets: 1000 },
    "9/9 (1%) receiver\n5/1000 (0.5%) receiver",
    null,
    0.5,
  ],
])("counts after a warm-up: %s", (_, changes, text, lost, expected) => {
  const document = {
    start: { test_start: { blksize: 1000 } },
    end: {
      sum_sent: { bits_per_second: 8e6, packets: 1000 },
      sum_received: { bits_per_second: 8e6, bytes: 1e6, ...changes },
    },
    server_output_text: text,
  };
  const found = evaluate("trial_figures.udp_figures(*data)", [document, lost]);
  expect(found).toMatchObject({ packets: 1000, lostPackets: 10 * expected, lostPercent: expected });
});
