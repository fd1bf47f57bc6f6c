/**
 * The order in which test files are started: those that take long first, so that none of them is alone at the end,
 * and those of all projects of one `groupOrder` together. Lab tests wait more than they work; beside engine tests,
 * which only work, they cost little time of their own.
 */
import { existsSync } from "node:fs";
import { BaseSequencer, type TestSpecification } from "vitest/node";

/**
 * Files below `tests/` that take more than a quarter of a minute on two cores, of unit tests more than five seconds, the longest
 * first. Others follow.
 */
const long: readonly string[] = [
  "unit/docs/blocks",
  "unit/plugin-options",
  "unit/report/rendering",
  "lab/stack/trouble",
  "lab/cli/runs",
  "guest/nat-instance",
  "release/package",
  "lab/stack/failover",
  "release/lowest-peers",
  "lab/nat-instance/measured-path",
  "engine/component-plugin",
  "lab/stack/run",
  "browser/answer",
  "lab/nat-limits/limits",
  "release/types",
  "lab/nat-instance/heartbeat",
  "browser/site",
  "lab/search/search",
  "engine/aws/topologies",
  "agent/daemon",
  "engine/azure/changes",
  "lab/stack/pairs",
  "engine/aws/whole-program",
  "agent/data-sources",
  "release/npm-ci",
  "lab/nat-instance/forwarding",
  "engine/cli/compare",
  "agent/search",
  "engine/aws/nat-gateway-fallback",
  "lab/nat-instance/metrics",
  "engine/azure/topologies",
  "agent/rendezvous",
  "browser/report",
  "lab/advise/nat-instance",
  "engine/nightly",
];

/** @throws {Error} for a file that was renamed, which would be started last without a word. */
function assertThere(): void {
  const missing = long.filter((file) => !existsSync(new URL(`../${file}.test.ts`, import.meta.url)));
  if (missing.length > 0) {
    throw new Error(`longest-first.ts names files that are not there: ${missing.join(", ")}`);
  }
}

export class LongestFirst extends BaseSequencer {
  override async sort(files: TestSpecification[]): Promise<TestSpecification[]> {
    assertThere();
    const group = (spec: TestSpecification) => spec.project.config.sequence.groupOrder;
    const rank = ({ moduleId }: TestSpecification) => {
      const index = long.findIndex((file) => moduleId.endsWith(`/tests/${file}.test.ts`));
      return index < 0 ? long.length : index;
    };
    return [...files].sort(
      (a, b) => group(a) - group(b) || rank(a) - rank(b) || a.moduleId.localeCompare(b.moduleId),
    );
  }
}
