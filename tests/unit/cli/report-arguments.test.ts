/** Arguments of `npm run report`. */
import { describe, expect, it } from "vitest";
import { commands } from "../../../cli/commands.ts";
import { reportArguments } from "../../../cli/report/arguments.ts";
import { parsed } from "../../helpers/parsed.ts";

describe("the arguments of report", () => {
  it.each([
    [["--gb-in", "lots"], '--gb-in: expected a number from 0 to 1,000,000,000 (GB a month); got "lots"'],
    [["--gb-out", "-1"], '--gb-out: expected a number from 0 to 1,000,000,000 (GB a month); got "-1"'],
    [["--zones", "1.5"], '--zones: expected a whole number from 1 to 6; got "1.5"'],
    [["--store", ""], "--store: expected a value; got nothing"],
    [["--gb-out=-1"], '--gb-out: expected a number from 0 to 1,000,000,000 (GB a month); got "-1"'],
    [["--tolerance", "5x"], '--tolerance: expected a percentage from 0% to 100%; got "5x"'],
    [["--now", "tunnel"], "--now: expected "],
    [["--limit", "10X"], "--limit: expected a bit rate"],
    [["--what"], "--what"],
  ])("%j is refused", (args, message) => {
    expect(() => reportArguments(parsed(commands.report, args))).toThrow(message);
  });

  it("reads the documented options", () => {
    const args = "--stack a --stack b x.json --baseline o.json --tolerance 2.5% --limit 12.5G";
    expect(reportArguments(parsed(commands.report, args.split(" ")))).toMatchObject({
      stacks: ["a", "b"],
      files: ["x.json"],
      tolerancePercent: 2.5,
      limit: 12.5e9,
      needs: { gbIn: 1000, gbOut: 200, peakBitsPerSecond: null, fixedAddress: true },
    });
  });
});
