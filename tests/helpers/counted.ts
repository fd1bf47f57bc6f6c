/** Quotas used by mocked resources, for comparison with the inventory and the pages. */
import type { CountedResource } from "../../stacks/quota/quota-demand.ts";

// biome-ignore lint/suspicious/noExplicitAny: inputs of any resource type
type Made = { readonly type: string; readonly inputs: any };

/** The machine that an AWS resource launches, and how it is bought. A group of spot instances counts by its first type. */
export function awsMachine({ instanceType, instanceMarketOptions, mixedInstancesPolicy }: Made["inputs"]): {
  readonly size: string | undefined;
  readonly spot: boolean;
} {
  const [first] = mixedInstancesPolicy?.launchTemplate.overrides ?? [];
  return {
    size: instanceType ?? first?.instanceType,
    spot: instanceMarketOptions !== undefined || mixedInstancesPolicy !== undefined,
  };
}

export function awsCounted({ type, inputs }: Made): CountedResource {
  const { size = null, spot } = awsMachine(inputs);
  return { type, size, region: null, spot };
}

/** An Azure resource as quotas count it. A prefix counts as its addresses. */
export function azureCounted({ type, inputs }: Made): CountedResource[] {
  const counted = {
    type: type.replace("PublicIPPrefix", "PublicIPAddress"),
    size: inputs.hardwareProfile?.vmSize ?? null,
    region: inputs.location ?? null,
  };
  const count = type.endsWith(":PublicIPPrefix") ? 2 ** (32 - inputs.prefixLength) : 1;
  return Array.from({ length: count }, () => counted);
}
