/** The clouds, by the names that configuration, results and price lists use. */

/** `local` is the lab of network namespaces; `hosts` are machines that exist already, wherever they are. */
export const cloudNames = ["azure", "aws", "local", "hosts"] as const;

/** Where a stack is deployed. */
export type CloudName = (typeof cloudNames)[number];

/** Facts about a whole cloud, for code that serves all clouds. */
interface CloudRecord {
  /** Name for headings and sentences. */
  readonly title: string;
  /** Whether it has a price list. The lab is priced as a cloud that has one; hosts that exist bring their own price. */
  readonly hasPrices: boolean;
  /** Whether all hosts are namespaces of one machine: they share its CPUs, and no network is between them. */
  readonly isLab: boolean;
  /** Whether its machines exist before a stack does, and stay after it. */
  readonly isExisting: boolean;
  /** Whether a flow log of it may have intervals of one minute. */
  readonly hasMinuteLogs: boolean;
  /** Whether its metrics come in parts that add up to a counter, as Azure Monitor splits them by dimension. */
  readonly splitsMetrics: boolean;
  /**
   * Whether a size's rate bounds what it sends to the internet even where a test within the region passed it. Azure's are expected
   * rates, which some machines pass.
   */
  readonly holdsToRate: boolean;
  /** Start of a ready-made stack's name. */
  readonly stackPrefix: string;
}

const cloud = {
  hasPrices: true,
  isLab: false,
  isExisting: false,
  hasMinuteLogs: false,
  splitsMetrics: false,
  holdsToRate: false,
} as const;

/** The record of each cloud. */
export const cloudRecords = {
  azure: { ...cloud, title: "Azure", stackPrefix: "", splitsMetrics: true },
  aws: { ...cloud, title: "AWS", stackPrefix: "aws-", hasMinuteLogs: true, holdsToRate: true },
  local: { ...cloud, title: "Lab", hasPrices: false, isLab: true, stackPrefix: "local-" },
  hosts: {
    ...cloud,
    title: "Hosts that exist",
    hasPrices: false,
    isExisting: true,
    stackPrefix: "hosts-",
  },
} as const satisfies Record<CloudName, CloudRecord>;

/** The clouds that have prices. */
export type PricedCloud = {
  [Name in CloudName]: (typeof cloudRecords)[Name]["hasPrices"] extends true ? Name : never;
}[CloudName];

/** All of them. */
export const pricedClouds: readonly PricedCloud[] = ["aws", "azure"];

/** Whether a cloud has a price list. */
export function isPriced(name: CloudName): name is PricedCloud {
  return cloudRecords[name].hasPrices;
}
