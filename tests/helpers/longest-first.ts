/**
 * The order in which test files start: long ones first, so that none runs alone at the end, and all projects of one
 * `groupOrder` together. Lab tests mostly wait, so they cost little time beside engine tests, which only compute.
 */
import { existsSync } from "node:fs";
import { BaseSequencer, type TestSpecification } from "vitest/node";

/**
 * Files below `tests/` that take more than a quarter of a minute on two cores (unit tests: five seconds), longest
 * first. Others follow.
 */
const long = `
unit/cli/throttled-prices unit/cli/currency unit/report/rendering unit/cli/report unit/cli/nat-term
unit/cli/advise-bills unit/cli/advise guest/nat-instance lab/stack/trouble lab/cli/runs
engine/cli/broken-steps engine/aws/take-over lab/stack/failover release/lowest-peers release/install
release/package lab/nat-instance/measured-path engine/azure/component-changes lab/nat-instance/pair-failures
lab/stack/run engine/component-plugin browser/answer lab/nat-limits/limits lab/nat-instance/heartbeat
guest/reset lab/probes/failover engine/aws/topologies browser/site lab/nat-instance/input release/types
engine/azure/keep-addresses engine/changes lab/stack/hosts engine/nightly lab/cloud-init agent/scarce
agent/daemon lab/probes/connect engine/advise/properties lab/nat-instance/forwarding engine/cli/compare
lab/stack/pairs browser/report engine/azure/changes lab/nat-instance/pair agent/data-sources
lab/probes/outages engine/aws/refusals engine/aws/whole-program engine/aws/keep-addresses release/npm-ci
engine/command-plugin/lifecycle programs/ci-gate lab/nat-instance/hostile-client agent/search
lab/search/search programs/answers agent/interrupted agent/run-tool engine/azure/topologies
lab/nat-instance/metrics agent/rendezvous lab/advise/nat-instance
lab/nat-instance/drift engine/configuration release/root-template lab/nat-instance/setup-script
engine/command-plugin/copy-to-remote engine/advise/reading engine/advise/files engine/advise/stack
engine/aws/nat-gateway-fallback
`
  .trim()
  .split(/\s+/);

/** @throws {Error} for a renamed file, which would otherwise silently start last. */
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
