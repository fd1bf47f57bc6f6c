/**
 * The part of an `iperf3 -J` document that results use. One schema reads both iperf3's own document and the one that the host
 * agent's reducer makes of it, by `agent-settings.ts`: the same keys and nesting, without what is not read, the warm-up's intervals
 * and each interval's streams; figures are rounded, NaN and infinity become `null`. 128 streams and 300 intervals come to 48 KB at
 * most. Stdout without a JSON object is passed on, up to `MAX_REDUCED_BYTES`: the parser reports what is wrong.
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
  /** Datagrams that the warm-up's intervals say were lost; only in a reduced document. */
  omitted_lost_packets: number,
  error: z.string().nullish(),
  /** The server's output, if the client asked for it; a reduced document has only the receiver's count. */
  server_output_text: z.string().nullish(),
});
/** The fields of iperf3's JSON that are read. */
export type Iperf3Output = z.infer<typeof iperf3OutputSchema>;
