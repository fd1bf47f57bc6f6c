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
  /** Start of a ready-made stack's name. */
  readonly stackPrefix: string;
}

const cloud = { hasPrices: true, isLab: false, isExisting: false } as const;

/** The record of each cloud. */
export const cloudRecords = {
  azure: { ...cloud, title: "Azure", stackPrefix: "" },
  aws: { ...cloud, title: "AWS", stackPrefix: "aws-" },
  local: { title: "Lab", hasPrices: false, isLab: true, isExisting: false, stackPrefix: "local-" },
  hosts: {
    title: "Hosts that exist",
    hasPrices: false,
    isLab: false,
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
