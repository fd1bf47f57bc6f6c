/** Each cloud's names for the choices of a cell. */
import type { CloudName } from "../../bench/index.ts";
import type { CellKeys } from "./matrix-file.ts";

interface CloudKeys {
  /** Keys of the cloud's section of a stack's configuration, by the cell's keys. */
  readonly section: Readonly<Partial<Record<keyof CellKeys, string>>>;
  /** Keys in a namespace of their own, by the cell's keys. */
  readonly config: Readonly<Partial<Record<keyof CellKeys, string>>>;
  /** Option of topologies for the size of their NAT instances; null: the cloud has no sizes. */
  readonly natSize: string | null;
}

const none: CloudKeys = { section: {}, config: {}, natSize: null };

export const cloudKeys: Readonly<Record<CloudName, CloudKeys>> = {
  azure: {
    section: {
      region: "location",
      zone: "zone",
      serverRegion: "serverLocation",
      clientSize: "clientSize",
      serverSize: "serverSize",
    },
    config: {},
    natSize: "size",
  },
  aws: {
    section: { zone: "zone", clientSize: "clientInstanceType", serverSize: "serverInstanceType" },
    config: { region: "aws:region" },
    natSize: "instanceType",
  },
  local: none,
  hosts: none,
};

/** Choices that only some clouds have. */
export const placeKeys = ["region", "zone", "serverRegion", "clientSize", "serverSize"] as const;
