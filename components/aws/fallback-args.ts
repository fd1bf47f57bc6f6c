import { z } from "zod";
import { text } from "../shared/args-schema.ts";
import { publicIpSchema } from "./common.ts";

/** Schema of {@link NatGatewayFallbackArgs}. */
export const natGatewayFallbackSchema = z
  .strictObject({
    natGatewayId: text.optional().meta({
      description: "A NAT gateway that exists: public, and of the same VPC.",
      fallback: "a new one in `subnetId`",
    }),
    publicIp: publicIpSchema.readonly().optional().meta({
      description: "Elastic IP of the new gateway, one that exists.",
      fallback: "a new one",
    }),
  })
  .readonly();

/** The NAT gateway that serves clients while the NAT instance does not forward. */
export type NatGatewayFallbackArgs = z.infer<typeof natGatewayFallbackSchema>;
