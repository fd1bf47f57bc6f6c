/** The clouds, by their names in configuration, results and price lists. */

/** `local` is the lab of network namespaces; `hosts` are existing machines, wherever they are. */
export const cloudNames = ["azure", "aws", "local", "hosts"] as const;

/** Where a stack is deployed. */
export type CloudName = (typeof cloudNames)[number];

/** Facts about a whole cloud, for code that serves all clouds. */
interface CloudRecord {
  /** Name for headings and sentences. */
  readonly title: string;
  /** Whether it has a price list. The lab is priced as a cloud that has one; existing hosts have a price in their stack's file. */
  readonly hasPrices: boolean;
  /** Whether all hosts are namespaces of one machine: they share its CPUs, without a network between them. */
  readonly isLab: boolean;
  /** Whether its machines exist before a stack does, and outlive it. */
  readonly isExisting: boolean;
  /** Whether its flow logs may have intervals of one minute. */
  readonly hasMinuteLogs: boolean;
  /** Whether its metrics come split by dimension into parts that add up to a counter, as in Azure Monitor. */
  readonly splitsMetrics: boolean;
  /**
   * Whether a size's rate limits its internet traffic even after a faster test within the region. Azure's rates are expected
   * ones, which some machines exceed.
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

export type PricedCloud = {
  [Name in CloudName]: (typeof cloudRecords)[Name]["hasPrices"] extends true ? Name : never;
}[CloudName];

export const pricedClouds: readonly PricedCloud[] = ["aws", "azure"];

export function isPriced(name: CloudName): name is PricedCloud {
  return cloudRecords[name].hasPrices;
}
