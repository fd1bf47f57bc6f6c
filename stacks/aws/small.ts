/** `size: small` on AWS: machines of one vCPU, and spot quota beside the on-demand one. */
import { topologyNamed } from "../../bench/index.ts";
import { machineOf } from "../../bench/machines/index.ts";
import { architecture } from "../../components/aws/architecture.ts";
import type { Inventory, TopologyEntry } from "../inventory.ts";
import type { Settings } from "./settings.ts";

/** One vCPU, 2 GiB, Arm. Current T types have two vCPUs at any size. */
const SMALL_TYPE = "c7g.medium";

/**
 * vCPUs in a new account's quota of on-demand Standard instances; spot instances have the same again.
 *
 * Source: docs.aws.amazon.com/general/latest/gr/ec2-service.html, "Service quotas", L-1216C47A and L-34B43A08
 */
const NEW_ACCOUNT_VCPUS = 5;

/** The settings with the types for `size`. */
export function sized<T extends Settings>(settings: T): T {
  return settings.size === "small"
    ? {
        ...settings,
        clientInstanceType: SMALL_TYPE,
        serverInstanceType: SMALL_TYPE,
        jumpInstanceType: SMALL_TYPE,
      }
    : settings;
}

export function smallNat({ creditMode, ...options }: TopologyEntry["options"]): TopologyEntry["options"] {
  const spot = options.spot as { readonly instanceTypes?: unknown } | undefined;
  const instanceType = smallNatType(options);
  return {
    ...options,
    instanceType,
    ...(creditMode !== undefined && machineOf(instanceType)?.credits ? { creditMode } : {}),
    // Further types are dropped, because they would not be small.
    ...(spot === undefined ? {} : { spot: { ...spot, instanceTypes: undefined } }),
  };
}

/**
 * A small type for a NAT instance. A T type keeps its size as far as T2 has it with one vCPU, so that a comparison of sizes
 * still has different sizes. A named image keeps its architecture; T2 is x86 only.
 */
function smallNatType({ instanceType, image, imageName }: TopologyEntry["options"]): string {
  const namesImage = image !== undefined || imageName !== undefined;
  const [, size = null] = /^t\d+[a-z]*\.(\w+)$/.exec(String(instanceType ?? "")) ?? [];
  const isX86 = instanceType !== undefined && architecture(String(instanceType)) === "x86_64";
  if (namesImage ? !isX86 : size === null) {
    return SMALL_TYPE;
  }
  const same = `t2.${size}`;
  return machineOf(same)?.vcpus === 1 ? same : "t2.small";
}

/** Whether a small stack's clients are spot instances: all machines on demand would exceed a new account's quota. */
export function clientsOnSpot({ size }: Settings, machines: number): boolean {
  return size === "small" && machines > NEW_ACCOUNT_VCPUS;
}

/**
 * First note in a small stack's preview: an account on AWS's free plan launches few types, none of them a small stack's.
 * An account's plan cannot be read without a further permission.
 * @param types Types of all machines.
 * @returns undefined where every account can launch them, or the size is not small.
 */
export function freePlanNote({ size }: Settings, types: readonly string[]): string | undefined {
  const refused = [...new Set(types)].filter((type) => machineOf(type)?.freePlan === false);
  if (size !== "small" || refused.length === 0) {
    return undefined;
  }
  const keys = ["clientInstanceType", "serverInstanceType", "jumpInstanceType"].join(", ");
  return `size: small takes ${refused.join(", ")}, which an account on AWS's free plan cannot launch. On such an account leave size out, set ${keys} and a NAT instance's instanceType to t4g.micro or t4g.small (two vCPUs each), and look whether the quotas are enough (docs/quotas/aws.md).`;
}

export function smallNotes(
  settings: Settings,
  inventory: Pick<Inventory, "hosts" | "paths">,
): readonly string[] {
  if (settings.size !== "small") {
    return [];
  }
  const nats = inventory.paths
    .filter(({ topology }) => topologyNamed(topology)?.nat === "instance")
    .map(({ name, natSize }) => `${name} ${natSize}`);
  const spot = clientsOnSpot(settings, inventory.hosts.length) ? " Clients are spot instances." : "";
  return [
    `size: small: all machines are ${SMALL_TYPE}${nats.length === 0 ? "" : `, NAT instances ${nats.join(", ")}`}; the figures are these machines' and cannot be compared with published ones.${spot}`,
  ];
}
