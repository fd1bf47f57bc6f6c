/**
 * The part of an `iperf3 -J` document that results use. One schema reads both iperf3's own document and the one that the host
 * agent's reducer makes of it.
 *
 * ## The reduced document
 *
 * Same key names, same nesting, fewer keys: the keys that the schemas read (`agent-settings.ts` derives the agent's projection
 * from them). The reducer copies those that are present and adds none.
 *
 * - `intervals`: only entries whose `sum.omitted` is not true, each `{"sum": {...}}`; no streams. At most
 *   `MAX_INTERVALS`, since the command widens `-i` for long cases.
 * - `server_output_text`: only its last `RECEIVERS_COUNT`.
 * - `end.streams[]`: one entry per stream, in iperf3's order, with whichever of `sender`, `receiver`, `udp` it has.
 * - Numbers: `end` of an interval to 2 decimals, its `seconds` to 1, `jitter_ms` and `lost_percent` to 4, CPU to 1, `seconds` of a sum to 3,
 *   everything else to integers. NaN and infinity become `null`.
 * - Written without spaces (`separators=(",", ":")`).
 * - Stdout without a JSON object, even after text around it is removed, is passed on unchanged up to
 *   `MAX_REDUCED_BYTES` bytes: the parser reports what is wrong.
 *
 * 128 streams and 300 intervals come to 48 KB at most.
 */
import { z } from "zod";

export const MAX_REDUCED_BYTES = 48 * 1024;

/** Most intervals of a case: `-i` is 1 s up to 300 seconds, and wider beyond. */
export const MAX_INTERVALS = 300;

/** Absent in one version, null (NaN) in another: both mean unknown. */
const number = z.number().nullish();

const sumSchema = z.object({
  seconds: number,
  bytes: number,
  bits_per_second: number,
  retransmits: number,
  jitter_ms: number,
  lost_packets: number,
  packets: number,
  lost_percent: number,
});

const intervalSchema = z.object({
  sum: z
    .object({
      /** Absent in the reduced document, where it is the end of the interval before. */
      start: number,
      end: number,
      /** One decimal in the reduced document. Longer than `end - start` if it includes the warm-up's last interval. */
      seconds: number,
      bits_per_second: number,
      retransmits: number,
      lost_packets: number,
      packets: number,
      omitted: z.boolean().nullish(),
    })
    .nullish(),
  /** From the server to the client, in a test of both directions. */
  sum_bidir_reverse: z.object({ bits_per_second: number }).nullish(),
});

const streamSchema = z.object({
  sender: z.object({ retransmits: number, mean_rtt: number }).nullish(),
  receiver: z.object({ bytes: number, bits_per_second: number }).nullish(),
  /** `bits_per_second` and `packets` are the sender's. */
  udp: z
    .object({
      bits_per_second: number,
      jitter_ms: number,
      lost_packets: number,
      packets: number,
      out_of_order: number,
    })
    .nullish(),
});
export type Iperf3Stream = z.infer<typeof streamSchema>;

/** An `iperf3 -J` document, whole or reduced. Keys that are not used are dropped, not refused. */
export const iperf3OutputSchema = z.object({
  start: z
    .object({
      version: z.string().nullish(),
      test_start: z
        .object({ protocol: z.string().nullish(), num_streams: number, blksize: number, reverse: number })
        .nullish(),
    })
    .nullish(),
  intervals: z.array(intervalSchema).nullish(),
  end: z
    .object({
      streams: z.array(streamSchema).nullish(),
      sum: sumSchema.nullish(),
      sum_sent: sumSchema.nullish(),
      sum_received: sumSchema.nullish(),
      /** From the server to the client, in a test of both directions. */
      sum_sent_bidir_reverse: sumSchema.nullish(),
      sum_received_bidir_reverse: sumSchema.nullish(),
      cpu_utilization_percent: z.object({ host_total: number, remote_total: number }).nullish(),
    })
    .nullish(),
  error: z.string().nullish(),
  /** The server's output, if the client asked for it; a reduced document has only the receiver's count. */
  server_output_text: z.string().nullish(),
});
/** The fields of iperf3's JSON that are read. */
export type Iperf3Output = z.infer<typeof iperf3OutputSchema>;
