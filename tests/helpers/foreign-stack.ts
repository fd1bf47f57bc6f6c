/** A stack on hosts that egress-bench did not make, shared by the tests of a file. */
import { mkdtempSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { afterAll, beforeAll } from "vitest";
import { type ForeignHosts, foreignHosts } from "./foreign-hosts.ts";
import { testLab } from "./lab-hosts.ts";
import { type LabStack, openLabStack } from "./lab-stack.ts";

interface ForeignStack {
  readonly lab: string;
  /** The hosts; available from the first `beforeAll` on, like the stack. */
  readonly foreign: ForeignHosts;
  readonly stack: LabStack;
}

/**
 * Hosts and a stack that measures them as the topology `existing`, called `office`; all is removed after the file's tests.
 *
 * @param topology Options besides the hosts'.
 * @param configuration The stack's other keys.
 */
export function foreignStack(topology: object, configuration: Record<string, unknown>): ForeignStack {
  const lab = testLab(afterAll);
  const keys = mkdtempSync(join(tmpdir(), "egress-bench-foreign-"));
  afterAll(() => rmSync(keys, { recursive: true }));
  const opened: { lab: string; foreign?: ForeignHosts; stack?: LabStack } = { lab };
  beforeAll(async () => {
    const foreign = await foreignHosts(lab, keys);
    opened.foreign = foreign;
    const office = { topology: "existing", name: "office", ...foreign.options, ...topology };
    opened.stack = await openLabStack({ cloud: "hosts", topologies: [office], ...configuration });
  });
  afterAll(() => opened.stack?.dispose());
  return opened as ForeignStack;
}
