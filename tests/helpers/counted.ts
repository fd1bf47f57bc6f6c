/** What mocked resources take of quotas, to hold the inventory and the pages against. */
import type { CountedResource } from "../../stacks/quota/demand.ts";

// biome-ignore lint/suspicious/noExplicitAny: inputs of any resource type
type Made = { readonly type: string; readonly inputs: any };

/** The machine that a resource of AWS launches, and how it is bought. The first type of a group of spot instances counts. */
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

/** A resource of AWS as quotas count it. */
export function awsCounted({ type, inputs }: Made): CountedResource {
  const { size = null, spot } = awsMachine(inputs);
  return { type, size, region: null, spot };
}

/** A resource of Azure as quotas count it. A prefix counts as its addresses. */
export function azureCounted({ type, inputs }: Made): CountedResource[] {
  const counted = {
    type: type.replace("PublicIPPrefix", "PublicIPAddress"),
    size: inputs.hardwareProfile?.vmSize ?? null,
    region: inputs.location ?? null,
  };
  const count = type.endsWith(":PublicIPPrefix") ? 2 ** (32 - inputs.prefixLength) : 1;
  return Array.from({ length: count }, () => counted);
}
