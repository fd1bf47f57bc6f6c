import { z } from "zod";
import { text } from "../shared/args-schema.ts";
import { publicIpSchema } from "./common.ts";

/** Schema of {@link NatGatewayFallbackArgs}. */
export const natGatewayFallbackSchema = z
  .strictObject({
    natGatewayId: text.optional().meta({
      description: "Id of an existing public NAT gateway of the same VPC.",
      fallback: "a new one in `subnetId`",
    }),
    publicIp: publicIpSchema.readonly().optional().meta({
      description: "An existing Elastic IP for the new gateway.",
      fallback: "a new one",
    }),
  })
  .readonly();

/** The NAT gateway that serves clients while the NAT instance does not forward. */
export type NatGatewayFallbackArgs = z.infer<typeof natGatewayFallbackSchema>;
