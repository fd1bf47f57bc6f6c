import { type FigureId, figures } from "../../bench/figures/index.ts";
import { cloudNames, cloudRecords } from "../../bench/topologies/index.ts";
import type { Comparison } from "../comparison/comparison.ts";
import { verdictFigures } from "../comparison/verdict.ts";
import { counted } from "../text/format.ts";
import type { Contribution } from "./contribution.ts";

interface LibraryRow {
  readonly label: string;
  readonly column: number;
  readonly heading: string;
  readonly yours: string;
  readonly theirs: string;
  /** Conditions of the library's measurement. */
  readonly conditions: string;
}

/** Contributed runs beside the reader's. */
export interface LibraryComparison {
  readonly rows: readonly LibraryRow[];
  /** Sentences on the library's runs, and on missing ones. */
  readonly sentences: readonly string[];
}

/** Compares the deciding figures of each topology with those of the same kind in the library, of the same cloud. */
export function compareWithLibrary(
  comparison: Comparison,
  library: readonly Contribution[],
): LibraryComparison {
  const rows = verdictFigures(comparison).flatMap(({ rowOf, metric, heading }) =>
    comparison.columns.flatMap((column) => {
      const row = rowOf(column);
      const own = row.cells[column.index]?.estimates[metric];
      const { topology } = column.topology;
      const place = { label: column.label, column: column.index, heading };
      return own === undefined
        ? []
        : matches(library, column.results.cloud, topology, row.info.title, metric).map(
            ({ value, conditions }): LibraryRow => ({
              ...place,
              yours: figures[metric].format(own.value),
              theirs: figures[metric].format(value),
              conditions,
            }),
          );
    }),
  );
  return { rows, sentences: holdings(library) };
}

function matches(
  library: readonly Contribution[],
  cloud: string,
  topology: string,
  title: string,
  metric: FigureId,
) {
  return library
    .filter((one) => one.cloud === cloud)
    .flatMap((one) =>
      one.topologies
        .filter((other) => other.topology === topology)
        .flatMap((other) =>
          other.figures
            .filter((figure) => figure.case === title && figure.metric === metric)
            .map(({ value }) => ({ value, conditions: conditionsOf(one, other) })),
        ),
    );
}

function conditionsOf(run: Contribution, { client, nat }: Contribution["topologies"][number]): string {
  const machine = (name: string, found: typeof client) =>
    found === null ? [] : [`${name} ${found.size ?? `${found.cpus ?? "?"} CPUs`}`];
  return [
    run.region ?? (run.network ? "region unknown" : "lab, not a real network"),
    run.month ?? "month unknown",
    ...machine("client", client),
    ...machine("NAT instance", nat),
    ...(run.plan === null ? [] : [`plan ${run.plan}`]),
  ].join(", ");
}

function holdings(library: readonly Contribution[]): string[] {
  return cloudNames.map((cloud) => {
    const runs = library.filter((one) => one.cloud === cloud).length;
    const { isLab, title } = cloudRecords[cloud];
    const name = isLab ? "The lab, which is not a real network" : title;
    return runs === 0
      ? `${name}: no runs yet (\`npm run contribute\` adds yours).`
      : `${name}: ${counted(runs, "run")}.`;
  });
}
