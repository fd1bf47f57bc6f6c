/** Expands the axes of a matrix into its cells. */
import { createHash } from "node:crypto";
import { isDeepStrictEqual } from "node:util";
import { hintOf } from "../../bench/nearest.ts";
import { cloudRecords } from "../../bench/topologies/clouds.ts";
import { topologies as allTopologies, topologyNamed } from "../../bench/topologies/index.ts";
import { readPlanFile } from "../../stacks/plan-file.ts";
import { UsageError } from "../usage-error.ts";
import { type CellKeys, cloudKeys, labelOf, type MatrixFile, MOST_CELLS, placeKeys } from "./matrix-file.ts";

export interface MatrixCell {
  /** Name of its stack: the same for the same choices, in every clone and shard. */
  readonly name: string;
  /** Label of its value on each axis, by axis. */
  readonly axes: Readonly<Record<string, string>>;
  readonly keys: CellKeys;
}

interface Draft {
  readonly axes: Readonly<Record<string, string>>;
  readonly own: CellKeys;
  readonly added: CellKeys;
}

/**
 * All cells, in the order of the axes: the first axis changes slowest. `include` and `exclude` work as in GitHub's
 * matrices: an entry of `include` adds its keys to each cell whose axes it does not contradict, else it is a cell of its own.
 *
 * @param directory Base of plan files' names. A plan file's content is part of the cell's name.
 * @throws {UsageError} where no cell is left, there are too many, or two are the same
 */
export function expand(file: MatrixFile, directory = "."): MatrixCell[] {
  const count = file.axes.reduce((product, { values }) => product * values.length, 1);
  if (count > MOST_CELLS) {
    throw new UsageError(`axes: expected at most ${MOST_CELLS} cells; got ${count}; leave out values`);
  }
  const kept = product(file).filter(
    ({ own }) => !file.exclude.some((entry) => matches({ ...file.defaults, ...own }, entry)),
  );
  const drafts = file.include.reduce((all, entry) => withInclude(all, entry, file), kept);
  const cells = drafts.map(({ axes, own, added }) =>
    cellOf(file, axes, { ...file.defaults, ...added, ...own }, directory),
  );
  if (cells.length === 0) {
    throw new UsageError("no cell is left: give axes or include, and exclude less");
  }
  const names = cells.map(({ name }) => name);
  const twice = cells.find(({ name }, at) => names.indexOf(name) !== at);
  if (twice !== undefined) {
    throw new UsageError(
      `the cell ${describe(twice)} is listed twice; leave out one value or entry of include`,
    );
  }
  for (const cell of cells) {
    assertMeasurable(cell);
  }
  return cells;
}

export function describe({ axes, name }: Pick<MatrixCell, "axes" | "name">): string {
  return Object.values(axes).join(", ") || name;
}

function product({ axes }: MatrixFile): Draft[] {
  if (axes.length === 0) {
    return [];
  }
  return axes.reduce<Draft[]>(
    (drafts, { name, values }) =>
      drafts.flatMap((draft) =>
        values.map(({ label, keys }) => ({
          axes: { ...draft.axes, [name]: label },
          own: { ...draft.own, ...keys },
          added: {},
        })),
      ),
    [{ axes: {}, own: {}, added: {} }],
  );
}

function matches(keys: CellKeys, entry: CellKeys): boolean {
  return Object.entries(entry).every(([key, value]) => isDeepStrictEqual(keys[key as keyof CellKeys], value));
}

function withInclude(drafts: readonly Draft[], entry: CellKeys, file: MatrixFile): Draft[] {
  const fits = ({ own }: Draft) =>
    Object.entries(entry).every(
      ([key, value]) => !(key in own) || isDeepStrictEqual(own[key as keyof CellKeys], value),
    );
  if (file.axes.length > 0 && drafts.some((draft) => isOfProduct(draft) && fits(draft))) {
    return drafts.map((draft) =>
      isOfProduct(draft) && fits(draft) ? { ...draft, added: { ...draft.added, ...entry } } : draft,
    );
  }
  const axes = Object.fromEntries(Object.entries(entry).map(([key, value]) => [key, labelOf(value)]));
  return [...drafts, { axes, own: entry, added: OWN }];
}

/** Marks a cell that comes from an `include` entry. */
const OWN: CellKeys = {};

function isOfProduct({ added }: Draft): boolean {
  return added !== OWN;
}

const SLUG_LENGTH = 24;

function cellOf(
  { name, config }: MatrixFile,
  axes: MatrixCell["axes"],
  keys: CellKeys,
  directory: string,
): MatrixCell {
  const slug = Object.values(axes)
    .join("-")
    .toLowerCase()
    .replace(/[^a-z0-9]+/g, "-")
    .slice(0, SLUG_LENGTH)
    .replace(/^-+|-+$/g, "");
  const digest = createHash("sha256")
    .update(canonical([{ ...keys, ...planOf(keys, directory) }, config]))
    .digest("hex")
    .slice(0, 8);
  return { name: [name, ...(slug === "" ? [] : [slug]), digest].join("-"), axes, keys };
}

/** A plan by its file's content. Empty if the cell has none, or its file cannot be read, which is reported elsewhere. */
function planOf({ plan }: CellKeys, directory: string): object {
  try {
    return plan === undefined ? {} : { plan: readPlanFile(plan, directory) };
  } catch {
    return {};
  }
}

function canonical(value: unknown): string {
  return JSON.stringify(value, (_, one) =>
    typeof one === "object" && one !== null && !Array.isArray(one)
      ? Object.fromEntries(Object.entries(one).sort(([a], [b]) => (a < b ? -1 : 1)))
      : one,
  );
}

function assertMeasurable(cell: MatrixCell): void {
  const { cloud, topologies } = cell.keys;
  const refuse = (why: string) => new UsageError(`the cell ${describe(cell)}: ${why}`);
  for (const key of ["cloud", "topologies"] as const) {
    if (cell.keys[key] === undefined) {
      throw refuse(`has no ${key}: set it in defaults, axes or include`);
    }
  }
  if (cloud === undefined) {
    return;
  }
  const { title } = cloudRecords[cloud];
  for (const entry of topologies ?? []) {
    const kind = typeof entry === "string" ? entry : entry.topology;
    const record = topologyNamed(kind);
    if (record === undefined) {
      throw refuse(`topologies: "${kind}" is not a topology${hintOf(kind, Object.keys(allTopologies))}`);
    }
    if (!(record.clouds as readonly string[]).includes(cloud)) {
      throw refuse(
        `topologies: ${title} has no ${kind}; exclude it, or take one of ${topologiesOf(cloud).join(", ")}`,
      );
    }
  }
  const { section, config } = cloudKeys[cloud];
  const wrong = placeKeys.find((key) => cell.keys[key] !== undefined && !(key in section || key in config));
  if (wrong !== undefined) {
    throw refuse(`${wrong}: ${title} has no such option; leave it out, or exclude the cell`);
  }
}

function topologiesOf(cloud: string): string[] {
  return Object.entries(allTopologies)
    .filter(([, { clouds }]) => (clouds as readonly string[]).includes(cloud))
    .map(([name]) => name);
}
