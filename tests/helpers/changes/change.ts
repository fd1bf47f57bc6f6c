/** A change of one argument of a deployed component, and its effect. */
import type { EngineEvent, StepEventMetadata } from "@pulumi/pulumi/automation/index.js";

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
  readonly urn: string;
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
  /** The last one of a renamed resource that is not its former one. */
  urn: string;
  readonly ops: { readonly op: string; readonly at: number }[];
  inputs: readonly string[];
  ended: number;
}

/**
 * Reads the engine's events of an update: the steps by component.
 *
 * @param names Names of the components, which their resources' names begin with.
 */
export function observeChanges(names: readonly string[]) {
  const seen = new Map<string, Seen>();
  let at = 0;
  // A renamed resource is deleted under its old name, under which another one may be created.
  const keyOf = ({ old, urn }: StepEventMetadata) => old?.urn ?? `new ${urn}`;
  const onEvent = ({ resourcePreEvent, resOutputsEvent }: EngineEvent): void => {
    at++;
    const pre = resourcePreEvent?.metadata;
    if (pre !== undefined && pre.op !== "same" && pre.op !== "read") {
      const one = seen.get(keyOf(pre)) ?? { urn: pre.urn, ops: [], inputs: [], ended: 0 };
      one.urn = pre.urn === pre.old?.urn ? one.urn : pre.urn;
      one.ops.push({ op: pre.op, at });
      one.inputs = [...new Set([...one.inputs, ...(pre.diffs ?? [])])];
      seen.set(keyOf(pre), one);
    }
    const done = resOutputsEvent?.metadata;
    const one = done && seen.get(keyOf(done));
    if (one !== undefined && done?.op !== "delete-replaced") {
      one.ended = at;
    }
  };
  const observed = (needs: Needs = new Map()): ReadonlyMap<string, readonly Step[]> => {
    const stepsOf = (name: string) =>
      [...seen.values()].flatMap((one) => (ownerOf(one.urn, names) === name ? stepOf(name, one) : []));
    return new Map(names.map((name) => [name, inOrder(stepsOf(name), needs)]));
  };
  return { onEvent, observed };
}

function ownerOf(urn: string, names: readonly string[]): string | undefined {
  const own = urn.split("::").at(-1) as string;
  return names.find((name) => own === name || own.startsWith(`${name}-`));
}

/** Names of what each resource needs, by their own. */
export type Needs = ReadonlyMap<string, readonly string[]>;

/**
 * The one order of steps that keeps the order of any two of which one needs the other: that of others varies between runs, as does
 * when a replaced one is deleted.
 */
function inOrder(steps: readonly Step[], needs: Needs): Step[] {
  const reached = (from: string, all = new Set<string>()): Set<string> => {
    for (const urn of needs.get(from) ?? []) {
      if (!all.has(urn)) reached(urn, all.add(urn));
    }
    return all;
  };
  const needed = new Map(steps.map(({ urn }) => [urn, reached(urn)]));
  const needing = (a: Step, b: Step) => needed.get(a.urn)?.has(b.urn) === true;
  const isAfter = (a: Step, b: Step) => {
    const deleted = a.op === "delete";
    const isBound = deleted !== (b.op === "delete") || (needing(a, b) && needing(b, a));
    return isBound ? a.begun > b.begun : deleted ? needing(b, a) : needing(a, b);
  };
  const left = [...steps].sort((a, b) =>
    `${a.op} ${a.type} ${a.name}` < `${b.op} ${b.type} ${b.name}` ? -1 : 1,
  );
  const ordered: Step[] = [];
  while (left.length > 0) {
    const ready = left.filter((a) => !left.some((b) => isAfter(a, b)));
    const next = ready.find(({ op }) => op === ordered.at(-1)?.op) ?? (ready[0] as Step);
    ordered.push(...left.splice(left.indexOf(next), 1));
  }
  return ordered;
}

function stepOf(owner: string, { urn, ops, inputs, ended }: Seen): Step | readonly [] {
  const [, , types = "", name = ""] = urn.split("::");
  const type = types.split(":").at(-1) as string;
  const first = (op: string) => ops.find((one) => one.op === op)?.at;
  const [created, deleted] = [first("create-replacement"), first("delete-replaced")];
  const op = created !== undefined || deleted !== undefined ? "replace" : (ops[0]?.op ?? "");
  if (/^egress-bench:/.test(types.split("$").at(-1) ?? "") || !/^(create|update|replace|delete)$/.test(op)) {
    return [];
  }
  return {
    urn,
    op: op as Step["op"],
    type,
    name: name.slice(owner.length + 1),
    inputs,
    deletedFirst: deleted !== undefined && deleted < (created ?? Number.POSITIVE_INFINITY),
    begun: ops[0]?.at as number,
    ended,
  };
}
