/**
 * What the ways out of a private subnet can carry, as the clouds publish it.
 *
 * @module
 */

/** Seconds without a packet after which a NAT of the cloud forgets a flow. */
export const idleTimeoutSeconds = {
  /** NAT gateway, fixed: https://docs.aws.amazon.com/vpc/latest/userguide/nat-gateway-basics.html */
  aws: 350,
  /** NAT gateway, default of 4 minutes: https://learn.microsoft.com/azure/nat-gateway/nat-gateway-resource */
  azure: 240,
} as const;
