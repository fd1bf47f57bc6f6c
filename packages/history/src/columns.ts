/** Columns of the history: one row per figure and repetition. A column may be added within a version. */

/** Version of the rows. It changes when older readers could misread them. */
export const HISTORY_VERSION = 1;

const text = (about: string) => ({ type: "VARCHAR", about }) as const;
const whole = (about: string) => ({ type: "INTEGER", about }) as const;
const time = (about: string) => ({ type: "TIMESTAMP", about }) as const;

/** Every column by name: its SQL type, and its content. All but the keys may be null. */
export const columns = {
  schemaVersion: whole(`Version of the row, ${HISTORY_VERSION}.`),
  runId: text("Name of the run."),
  stack: text("Name of the Pulumi stack, which is the cell of a matrix."),
  cloud: text("`azure`, `aws`, `hosts` or `local`."),
  region: text("The cloud's region."),
  zone: text("Zone of the NAT instance, else of the client."),
  topology: text("Name of the topology within its stack."),
  kind: text("Kind of topology, a name of the registry."),
  size: text("Size of the NAT instance, else of the client."),
  kernel: text("Kernel of the NAT instance, else of the client."),
  caseId: text("Name of the case within its plan."),
  tool: text("The tool."),
  toolVersion: text("Version as the tool says it."),
  figure: text("Name of the figure, as in `report.csv`."),
  unit: text("Unit of the value."),
  repetition: whole("Number of the repetition, from 1."),
  value: {
    type: "DOUBLE",
    about: "The value in its unit. Null: traffic never recovered, or a search found no rate.",
  },
  goal: text("Loss goal and trials' length of a rate that was searched for."),
  decides: {
    type: "BOOLEAN",
    about:
      "Whether it is one of the first repetitions, whose scatter decided how many followed; true where the number was fixed.",
  },
  measuredAt: time("Start of the case, in UTC; else of the run."),
  egressBenchVersion: text("Version of the program that measured."),
  commit: text("Commit that was measured, as `--commit` or CI says it."),
} as const;

type ColumnName = keyof typeof columns;

type Value<T extends string> = T extends "VARCHAR" | "TIMESTAMP"
  ? string
  : T extends "BOOLEAN"
    ? boolean
    : number;

export type HistoryRow = {
  readonly [Name in ColumnName]: Value<(typeof columns)[Name]["type"]> | null;
};
