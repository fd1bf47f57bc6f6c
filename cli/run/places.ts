/** Alternative places for a cell if a cloud lacks capacity. Pure. */
import { cloudKeys } from "./cell-keys.ts";
import type { MatrixCell } from "./expand.ts";
import type { CellKeys, MatrixFile } from "./matrix-file.ts";

/** One try of a cell. */
export interface Place {
  readonly keys: CellKeys;
  /** Note in the results on the difference from the file's choice; null: none. */
  readonly note: string | null;
}

const sizeKeys = ["clientSize", "serverSize", "natSize"] as const;

/**
 * The places of a cell in the order of trying: as requested, the other zones of its region, then equivalent sizes, each in the
 * first zone. A zone that an axis or an entry sets is part of the measurement and stays.
 */
export function placesOf(
  { keys, axes }: MatrixCell,
  file: Pick<MatrixFile, "zones" | "equalSizes" | "axes">,
): [Place, ...Place[]] {
  const isAsked =
    "zone" in axes || file.axes.some(({ values }) => values.some((value) => value.keys.zone !== undefined));
  const zones = isAsked ? [] : zonesOf(keys, file).filter((zone) => zone !== keys.zone);
  const moved = zones.map(
    (zone): Place => ({
      keys: { ...keys, zone },
      note: `No capacity ${keys.zone === undefined ? "where asked first" : `in zone ${keys.zone}`}: measured in zone ${zone}.`,
    }),
  );
  const resized = sizeKeys.flatMap((key) => {
    const size = keys[key];
    const equals = file.equalSizes.find((group) => size !== undefined && group.includes(size)) ?? [];
    return equals
      .filter((other) => other !== size)
      .map(
        (other): Place => ({
          keys: { ...keys, [key]: other },
          note: `No capacity for ${key} ${size}: measured with ${other}, which the matrix lists as equal.`,
        }),
      );
  });
  return [{ keys, note: null }, ...moved, ...resized];
}

/** Zones of a region: the file's, else the cloud's usual ones. */
function zonesOf(
  { cloud = "local", region }: CellKeys,
  { zones }: Pick<MatrixFile, "zones">,
): readonly string[] {
  return (region === undefined ? undefined : zones[region]) ?? cloudKeys[cloud].zones;
}
