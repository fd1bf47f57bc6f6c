import { isDeepStrictEqual } from "node:util";
import { isArchive, isAsset, isObject, isSecret, type Properties, type Value } from "./envelopes.ts";

export type Change = "add" | "delete" | "update";

/** One changed place in the inputs. */
export interface PropertyChange {
  /** A property path, such as `triggers[0]` or `osProfile.customData`. */
  readonly path: string;
  readonly change: Change;
  readonly replaces: boolean;
}

/** The one input whose change replaces a resource instead of updating it. */
const REPLACING_INPUT = "triggers";

/**
 * The changes between two sets of inputs.
 *
 * A change inside `triggers` is reported as an update of its element: the SDK requests a replacement on any change to
 * `triggers[*]`, and the engine compares these paths.
 */
export function diffInputs(olds: Properties, news: Properties): PropertyChange[] {
  const properties = new Set([...Object.keys(olds), ...Object.keys(news)]);
  return (
    [...properties]
      // The others are the engine's own.
      .filter((property) => property !== "version" && !property.startsWith("__"))
      .sort()
      .flatMap((property) =>
        differences(olds[property] ?? null, news[property] ?? null, property).map((difference) => ({
          ...difference,
          replaces: difference.path === REPLACING_INPUT,
        })),
      )
  );
}

/** The new inputs, with those that `ignoreChanges` names taken from the state. */
export function withIgnoredChanges(
  state: Properties,
  news: Properties,
  ignored: readonly string[],
): Properties {
  const kept = ignored.filter((property) => property in state);
  return { ...news, ...Object.fromEntries(kept.map((property) => [property, state[property] ?? null])) };
}

/** The places where two values differ, descending into lists and objects. */
export function differences(old: Value, now: Value, path: string): { path: string; change: Change }[] {
  if (isSame(old, now)) return [];
  if (old === null) return [{ path, change: "add" }];
  if (now === null) return [{ path, change: "delete" }];
  if (Array.isArray(old) && Array.isArray(now)) {
    const length = Math.max(old.length, now.length);
    return Array.from({ length }, (_, index) =>
      differences(old[index] ?? null, now[index] ?? null, `${path}[${index}]`),
    ).flat();
  }
  if (isPlainObject(old) && isPlainObject(now)) {
    const keys = [...new Set([...Object.keys(old), ...Object.keys(now)])].sort();
    return keys.flatMap((key) => differences(old[key] ?? null, now[key] ?? null, path + accessor(key)));
  }
  return [{ path, change: "update" }];
}

function isSame(old: Value, now: Value): boolean {
  if ((isAsset(old) && isAsset(now)) || (isArchive(old) && isArchive(now))) {
    // The content decides, not the path that it was read from.
    if (old.hash && now.hash) return old.hash === now.hash;
  }
  return isDeepStrictEqual(old, now);
}

function isPlainObject(value: Value): value is Properties {
  return isObject(value) && !isSecret(value) && !isAsset(value) && !isArchive(value);
}

function accessor(key: string): string {
  return /^[A-Za-z_$][\w$]*$/.test(key) ? `.${key}` : `[${JSON.stringify(key)}]`;
}
