/**
 * The allowance counters of AWS's network driver, read from output of `ethtool -S` on such an instance. Not proved: that an
 * instance's counters rise during a case; this machine has no such driver.
 */
import { spawnSync } from "node:child_process";
import { fileURLToPath } from "node:url";
import { describe, expect, it } from "vitest";
import { hostUsageSchema } from "../../bench/results/index.ts";

const directory = fileURLToPath(new URL("../../agent/", import.meta.url));

/** The value of a Python expression, its stdin as `text`. */
function evaluate(expression: string, text: string): unknown {
  const program = `import json, sys\nfrom sampling import allowances\ntext = sys.stdin.read()\nprint(json.dumps(${expression}))`;
  const { stdout, stderr, status } = spawnSync("python3", ["-B", "-c", program], {
    cwd: directory,
    input: text,
    encoding: "utf8",
  });
  expect(stderr).toBe("");
  expect(status).toBe(0);
  return JSON.parse(stdout);
}

const statistics = `NIC statistics:
     tx_timeout: 0
     suspend: 0
     bw_in_allowance_exceeded: 12
     bw_out_allowance_exceeded: 345
     pps_allowance_exceeded: 0
     conntrack_allowance_exceeded: 6
     linklocal_allowance_exceeded: 0
     conntrack_allowance_available: 136812
     queue_0_tx_cnt: 2346
`;

describe("allowance counters", () => {
  it("are listed if exceeded", () => {
    expect(evaluate("allowances.allowance_counters(text)", statistics)).toEqual({
      bw_in_allowance_exceeded: 12,
      bw_out_allowance_exceeded: 345,
      pps_allowance_exceeded: 0,
      conntrack_allowance_exceeded: 6,
      linklocal_allowance_exceeded: 0,
    });
  });

  it("are absent where there is no such driver", () => {
    expect(evaluate("allowances.allowances()", "")).toEqual({});
  });

  it("are part of results", () => {
    const usage = {
      host: "nat",
      role: "nat",
      cpu: null,
      problem: "",
      allowances: { pps_allowance_exceeded: 1 },
    };
    expect(hostUsageSchema.parse(usage).allowances).toEqual({ pps_allowance_exceeded: 1 });
  });
});
