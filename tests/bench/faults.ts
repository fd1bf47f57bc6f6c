/**
 * The whole fault table, a line a row. A row that is not as the table has it makes the exit status 1.
 *
 * @module
 */
import { openFaultLab, table } from "../faults/table.ts";

/** Makes every fault whose name holds one of `wanted`. @default all */
export async function faults(wanted: readonly string[] = []): Promise<string[]> {
  const lab = await openFaultLab();
  const rows = table.filter(({ name }) => wanted.length === 0 || wanted.some((part) => name.includes(part)));
  let wrong = 0;
  try {
    for (const [index, row] of rows.entries()) {
      const { saw, exit, lost, left, goOn, ...outcome } = await row.try(lab).catch((error: Error) => ({
        ...{ saw: "", exit: "", lost: "", left: "", goOn: "" },
        wrong: [error.message],
      }));
      wrong += outcome.wrong.length > 0 ? 1 : 0;
      const lines = [`  exit ${exit}; lost: ${lost}; left: ${left}; go on: ${goOn}`, `  saw: ${saw}`];
      const verdict = outcome.wrong.length > 0 ? "WRONG" : "ok";
      process.stdout.write(
        `${index + 1}. ${row.name}: ${verdict}\n${[...lines, ...outcome.wrong.map((one) => `  wrong: ${one}`)].join("\n")}\n`,
      );
    }
  } finally {
    await lab.dispose();
  }
  if (wrong > 0) {
    process.exitCode = 1;
  }
  return [`${rows.length} faults, ${wrong} not as the table has them`];
}
