/** Decides how to react to a cloud's refusal: another place, a pause, or nothing. Pure. */

/** Why a cloud refused to create a cell. */
export type Refusal =
  | { readonly kind: "capacity" }
  | { readonly kind: "throttled" }
  | { readonly kind: "quota"; readonly of: "vcpus" | "addresses" | "networks" | "gateways" };

/**
 * Patterns of the clouds' error texts. Sources: docs.aws.amazon.com/ec2/latest/devguide/errors-overview.html;
 * learn.microsoft.com/azure/azure-resource-manager/troubleshooting/common-deployment-errors, read 2026-11-23.
 */
const words: readonly (readonly [RegExp, Refusal])[] = [
  [/VcpuLimitExceeded|InstanceLimitExceeded|MaxSpotInstanceCountExceeded/, { kind: "quota", of: "vcpus" }],
  [/exceeding approved .*?\bcores\b.*?quota/is, { kind: "quota", of: "vcpus" }],
  [
    /AddressLimitExceeded|PublicIPCountLimitReached|PublicIpAddressCountLimit/,
    { kind: "quota", of: "addresses" },
  ],
  [/VpcLimitExceeded/, { kind: "quota", of: "networks" }],
  [/NatGatewayLimitExceeded/, { kind: "quota", of: "gateways" }],
  [/Insufficient(Instance|Host|Reserved\w*|Address)?Capacity|capacity-not-available/, { kind: "capacity" }],
  [
    /ZonalAllocationFailed|AllocationFailed|OverconstrainedZonalAllocationRequest|OverconstrainedAllocationRequest/,
    { kind: "capacity" },
  ],
  [/SkuNotAvailable|NotAvailableForSubscription/, { kind: "capacity" }],
  [/not supported in your requested Availability Zone/, { kind: "capacity" }],
  [
    /RequestLimitExceeded|ThrottlingException|Throttling\b|TooManyRequests|OperationNotAllowedByThrottl|\bstatus(?: ?code)?[=:" ]*429\b|\b429 Too Many/i,
    { kind: "throttled" },
  ],
];

/**
 * Why a cloud refused a stack, if waiting or another place may help; else null.
 * @param errors The engine's messages about the stack.
 */
export function refusalOf(errors: readonly string[]): Refusal | null {
  const text = errors.join("\n");
  return words.find(([pattern]) => pattern.test(text))?.[1] ?? null;
}

/** Whether a quota is of the refused kind. */
export function isOfKind(quota: string, kind: Extract<Refusal, { kind: "quota" }>["of"]): boolean {
  const found = /L-0263D0A3|PublicIp/i.test(quota)
    ? "addresses"
    : /L-F678F1CE/i.test(quota)
      ? "networks"
      : /L-FE5A380F/i.test(quota)
        ? "gateways"
        : "vcpus";
  return found === kind;
}
