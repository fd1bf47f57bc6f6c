/**
 * The allowance counters of AWS's network driver, read from output of `ethtool -S` on such an instance. Not proved: that an
 * instance's counters rise during a case; this machine has no such driver.
 */
import { expect, it } from "vitest";
import { evaluate } from "../helpers/agent-host.ts";

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

it("allowance counters are listed if exceeded, and absent where there is no such driver", () => {
  const read = "[allowances.allowance_counters(data), allowances.allowances()]";
  expect(evaluate(read, statistics)).toEqual([
    {
      bw_in_allowance_exceeded: 12,
      bw_out_allowance_exceeded: 345,
      pps_allowance_exceeded: 0,
      conntrack_allowance_exceeded: 6,
      linklocal_allowance_exceeded: 0,
    },
    {},
  ]);
});
