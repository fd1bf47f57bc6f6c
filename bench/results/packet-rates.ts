import { z } from "zod";
import { object, orNull } from "../schema.ts";

/** Packets of a test's two ends. */
const ends = {
  sender: orNull.describe("Packets sent by the sending hosts. Null: not counted."),
  senderDrops: orNull.describe("Packets dropped by the sending hosts."),
  receiver: orNull.describe("Packets received by the receiving hosts. Null: not counted."),
  receiverDrops: orNull.describe("Packets dropped by the receiving hosts."),
};

export const packetRatesSchema = object(
  "packetRates",
  "Packets and drops a second at each place of a throughput case's path, as the kernels count them.",
  {
    ...ends,
    nat: orNull.describe(
      "Packets received by the NAT instances, both directions together. Null: no NAT instance.",
    ),
    natDrops: orNull.describe(
      "UDP: packets that went into the NAT instances and did not come out. TCP: packets dropped by their interfaces.",
    ),
    bothWays: z
      .object({
        egress: z.object(ends).describe("From client to server."),
        ingress: z.object(ends).describe("From server to client."),
      })
      .optional()
      .describe(
        "Both directions of a bidirectional test; the sender's and receiver's figures are their sums. Absent: another test.",
      ),
  },
);
/** Packets at each place of a path. */
export type PacketRates = z.infer<typeof packetRatesSchema>;
