/** Generates `docs/reference/changes.md`, for `npm run bench -- changes`. */
import type { Outcomes } from "./run.ts";
import { tableOf } from "./table.ts";

const intro = `# Changes on a live stack

<!-- Made by npm run bench -- changes. Do not edit. -->

What a change of one argument does to a component that is deployed: what is updated in place, what is replaced, and who is cut off.
Made by changing each argument with the real Pulumi engine, against stand-ins that refuse what the clouds refuse: none of these
changes is refused by a cloud, and a preview after each has nothing to do. A pair's second machine is changed only once the first
carries its clients or stands by again. "Set up again" runs the set-up on the running machine, whose sessions stay.

Not proved: that the real providers replace what their schemas say, and how long a machine takes to boot.
<!-- source: npm run bench -- changes, tests/engine/changes.test.ts, tests/lab/nat-instance/setup-script.test.ts -->`;

/** Exported components without a table, with the reason. */
export const withoutTable = `## Without a table

\`SshKeyPair\` keeps its key for life. \`ExistingHost\` and \`BenchmarkRun\` make nothing in a cloud: what is measured again is in
[plans](../plans.md). \`DefaultSnat\` makes nothing at all. The components of \`egress-bench/local\` make hosts on the machine itself.`;

/** The page's text. */
export function changesPage(clouds: Readonly<Record<string, Outcomes>>): string {
  const parts = Object.entries(clouds).flatMap(([cloud, outcomes]) => [
    `## ${cloud}`,
    ...[...outcomes].map(([component, all]) => tableOf(component, all)),
  ]);
  return `${[intro, ...parts, withoutTable].join("\n\n")}\n`;
}
