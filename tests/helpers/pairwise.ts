/** Possible values of each parameter. */
export type Parameters = Readonly<Record<string, readonly unknown[]>>;

/**
 * Combinations in which each two values of different parameters meet at least once: most faults of options involve at most
 * two. Each further combination takes, parameter by parameter, the value with the most pairs not covered yet.
 */
export function pairwise(parameters: Parameters): Record<string, unknown>[] {
  const names = Object.keys(parameters);
  const open = new Set(
    names.flatMap((one, at) => names.slice(at + 1).flatMap((other) => pairsOf(parameters, one, other))),
  );
  const rows: Record<string, number>[] = [];
  do {
    const row = nextRow(parameters, names, open);
    for (const pair of pairsIn(row, names)) open.delete(pair);
    rows.push(row);
  } while (open.size > 0);
  return rows.map((row) =>
    Object.fromEntries(
      names
        .map((name) => [name, parameters[name]?.[row[name] as number]])
        .filter(([, value]) => value !== undefined),
    ),
  );
}

const key = (one: string, i: number, other: string, j: number) => `${one}=${i}&${other}=${j}`;

function pairsOf(parameters: Parameters, one: string, other: string): string[] {
  return (parameters[one] ?? []).flatMap((_, i) =>
    (parameters[other] ?? []).map((__, j) => key(one, i, other, j)),
  );
}

function pairsIn(row: Readonly<Record<string, number>>, names: readonly string[]): string[] {
  return names.flatMap((one, at) =>
    names.slice(at + 1).flatMap((other) => {
      const [i, j] = [row[one], row[other]];
      return i === undefined || j === undefined ? [] : [key(one, i, other, j)];
    }),
  );
}

/** Starts with an uncovered pair, so that each row covers at least one. */
function nextRow(
  parameters: Parameters,
  names: readonly string[],
  open: ReadonlySet<string>,
): Record<string, number> {
  const [first] = open;
  const row: Record<string, number> = {};
  for (const part of first?.split("&") ?? []) {
    const [name, value] = part.split("=");
    row[name as string] = Number(value);
  }
  for (const name of names.filter((one) => row[one] === undefined)) {
    const gains = (parameters[name] ?? []).map(
      (_, value) => pairsIn({ ...row, [name]: value }, names).filter((pair) => open.has(pair)).length,
    );
    row[name] = gains.indexOf(Math.max(...gains));
  }
  return row;
}
