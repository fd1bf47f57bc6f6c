/** AWS's egress contract, beyond the one that all clouds share. */
import type { z } from "zod";
import { objectOf } from "../shared/args-schema.ts";
import type { Egress } from "../shared/egress.ts";
import type { PublicIp } from "./common.ts";

/**
 * Requirements of a client that goes out through an egress. Routes are not among them: an egress adds them to the route
 * tables that it is given.
 */
export interface AwsAttachment {
  /** Public address for the client's network interface, in a public subnet. @default none */
  readonly publicIp?: PublicIp | undefined;
}

/** One way for an AWS client to reach a server. */
export type AwsEgress = Egress<AwsAttachment>;

export const egressSchema: z.ZodType<AwsEgress> = objectOf<AwsEgress>(
  "a way out, such as a NatInstance",
  "attachment",
);
