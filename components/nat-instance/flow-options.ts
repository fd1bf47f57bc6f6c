import { z } from "zod";
import { idleDefaults } from "./idle-timeouts.ts";
import { port } from "./inbound.ts";

/** The option `portRange`. */
export const portRangeSchema = z
  .strictObject({
    first: port.meta({ description: "First port." }),
    last: port.meta({ description: "Last port, included." }),
  })
  .refine(({ first, last }) => first <= last, "must have first <= last")
  .optional()
  .meta({
    description:
      "Source ports that TCP and UDP flows are translated to. A small range provokes port exhaustion.",
    fallback: "the kernel's choice: 1024 to 65535 for flows from a port of 1024 or more",
  });

/** The option `portAllocation`. */
export const portAllocationSchema = z
  .enum(["random", "preserve"])
  .optional()
  .meta({
    description:
      "Source port of a translated flow. `random`: a new one for each destination, which outsiders cannot guess. " +
      "`preserve`: the client's own if it is free, the same for all destinations, as hole punching needs; see " +
      "[ports](../nat-instance.md#options).",
    fallback: "random; the data plane iptables preserves, as fck-nat's rule does",
  });

const seconds = (kind: keyof typeof idleDefaults, description: string) =>
  z
    .int()
    .min(10, "must be 10 to 432000 seconds")
    .max(432_000, "must be 10 to 432000 seconds")
    .optional()
    .meta({ description, default: idleDefaults[kind] });

/** The option `idleTimeouts`. */
export const idleTimeoutsSchema = z.strictObject({
  tcp: seconds("tcp", "Seconds of silence of an open TCP connection."),
  tcpHalfClosed: seconds("tcpHalfClosed", "Seconds of silence of a TCP connection that one side has closed."),
  udp: seconds("udp", "Seconds of silence of a UDP flow of several datagrams."),
  udpUnanswered: seconds("udpUnanswered", "Seconds that a single datagram's flow waits for an answer."),
});
