/** A change of one argument of a deployed component, and its effect. */
import type { EngineEvent } from "@pulumi/pulumi/automation/index.js";

/** The working order of updates for a change that is refused at preview. */
interface Refused {
  readonly refused: string;
}

/**
 * Arguments before and after, besides the component's usual ones, and the working order where the way back is refused at preview;
 * or why there is no such change.
 */
type Change = { readonly from?: object; readonly to: object; readonly oneWay?: string } | Refused | string;

/** The same arguments with each list, at any depth, in the reverse order. */
export function reversed<T>(value: T): T {
  if (Array.isArray(value)) {
    return value.map(reversed).reverse() as T;
  }
  return typeof value === "object" && value !== null
    ? (Object.fromEntries(Object.entries(value).map(([key, one]) => [key, reversed(one)])) as T)
    : value;
}

/** A change for each argument, and for parts of an argument by their names. */
export type Changes<Args, Prefix extends string = ""> = Readonly<
  Record<`${Prefix}${keyof Args & string}`, Change>
> &
  Readonly<Record<string, Change>>;

/** One reason for several arguments of which there is no such change. */
export const none = <Name extends string>(reason: string, ...names: readonly Name[]) =>
  Object.fromEntries(names.map((name) => [name, reason])) as Record<Name, string>;

export interface ChangedComponent {
  readonly title: string;
  readonly component: string;
  readonly base: Readonly<Record<string, unknown>>;
  readonly changes: Readonly<Record<string, Change>>;
}

export interface Step {
  readonly op: "create" | "update" | "replace" | "delete";
  /** Last part of its type, and its name without the component's. */
  readonly type: string;
  readonly name: string;
  readonly inputs: readonly string[];
  /** For a replacement: whether the old one is deleted before the new one exists. */
  readonly deletedFirst: boolean;
  /** Positions in the engine's order: its start, and when it, or its replacement, was complete. */
  readonly begun: number;
  readonly ended: number;
}

interface Seen {
  readonly ops: { readonly op: string; readonly at: number }[];
  inputs: readonly string[];
  ended: number;
}

/**
 * Reads the engine's events of an update: the steps by component, in the order of their start.
 *
 * @param names Names of the components, which their resources' names begin with.
 */
export function observeChanges(names: readonly string[]) {
  const seen = new Map<string, Seen>();
  let at = 0;
  const onEvent = ({ resourcePreEvent, resOutputsEvent }: EngineEvent): void => {
    at++;
    const pre = resourcePreEvent?.metadata;
    if (pre !== undefined && pre.op !== "same" && pre.op !== "read") {
      const former = pre.old?.urn;
      // A renamed resource was deleted under its old name.
      const renamed = former === undefined || former === pre.urn ? undefined : seen.get(former);
      const one = seen.get(pre.urn) ?? renamed ?? { ops: [], inputs: [], ended: 0 };
      if (renamed !== undefined) {
        seen.delete(former as string);
      }
      one.ops.push({ op: pre.op, at });
      one.inputs = [...new Set([...one.inputs, ...(pre.diffs ?? [])])];
      seen.set(pre.urn, one);
    }
    const done = resOutputsEvent?.metadata;
    const one = done && seen.get(done.urn);
    if (one !== undefined && done?.op !== "delete-replaced") {
      one.ended = at;
    }
  };
  const observed = (): ReadonlyMap<string, readonly Step[]> => {
    const steps = new Map<string, Step[]>(names.map((name) => [name, []]));
    for (const [urn, one] of seen) {
      const owner = ownerOf(urn, names);
      const step = owner === undefined ? undefined : stepOf(urn, owner, one);
      if (step !== undefined) {
        steps.get(owner as string)?.push(step);
      }
    }
    for (const all of steps.values()) {
      all.sort((a, b) => a.begun - b.begun);
    }
    return steps;
  };
  return { onEvent, observed };
}

function ownerOf(urn: string, names: readonly string[]): string | undefined {
  const own = urn.split("::").at(-1) as string;
  return names.find((name) => own === name || own.startsWith(`${name}-`));
}

function stepOf(urn: string, owner: string, { ops, inputs, ended }: Seen): Step | undefined {
  const [, , types = "", name = ""] = urn.split("::");
  const type = types.split(":").at(-1) as string;
  const first = (op: string) => ops.find((one) => one.op === op)?.at;
  const [created, deleted] = [first("create-replacement"), first("delete-replaced")];
  const op = created !== undefined || deleted !== undefined ? "replace" : (ops[0]?.op ?? "");
  if (/^egress-bench:/.test(types.split("$").at(-1) ?? "") || !/^(create|update|replace|delete)$/.test(op)) {
    return undefined;
  }
  return {
    op: op as Step["op"],
    type,
    name: name.slice(owner.length + 1),
    inputs,
    deletedFirst: deleted !== undefined && deleted < (created ?? Number.POSITIVE_INFINITY),
    begun: ops[0]?.at as number,
    ended,
  };
}
