/** Packets at the places of a throughput case's path. */
import { z } from "zod";
import { object, orNull } from "../schema.ts";

/** Packets of a test's two ends. */
const ends = {
  sender: orNull.describe("Packets that the sending hosts sent. Null: not counted."),
  senderDrops: orNull.describe("Packets that the sending hosts dropped."),
  receiver: orNull.describe("Packets that the receiving hosts got. Null: not counted."),
  receiverDrops: orNull.describe("Packets that the receiving hosts dropped."),
};

export const packetRatesSchema = object(
  "packetRates",
  "Packets a second at each place of a throughput case's path, and drops, as kernels count them.",
  {
    ...ends,
    nat: orNull.describe("Packets that the NAT instances received, both directions. Null: no NAT instance."),
    natDrops: orNull.describe(
      "UDP: packets into the NAT instances and not out of them; else what their interfaces dropped.",
    ),
    bothWays: z
      .object({
        egress: z.object(ends).describe("From client to server."),
        ingress: z.object(ends).describe("From server to client."),
      })
      .optional()
      .describe("Each direction of a test of both at once, whose sum the ends' are. Absent: another test."),
  },
);
/** Packets at each place of a path. */
export type PacketRates = z.infer<typeof packetRatesSchema>;
