/** CPU time since boot, from recorded files of the kernel; that it is in a report: run.test.ts. */
import { describe, expect, it } from "vitest";
import { reportedUsage } from "../../bench/agent/protocol.ts";
import { evaluate } from "../helpers/agent-host.ts";

/** The value of an expression, `cpu` being the module. */
const inModule = (expression: string, data: unknown) =>
  evaluate(expression.replaceAll("cpu.", "cpu_time."), data);

/** A machine with two CPUs: user 70,000 ticks, including the guests' 500; 8,000 idle, 900 waiting, 7 stolen. */
const stat = `cpu  70000 200 3000 8000 900 40 560 7 500 100
cpu0 35000 100 1500 4000 450 20 280 3 250 50
cpu1 35000 100 1500 4000 450 20 280 4 250 50
intr 98765 2 3
`;

describe("CPU time since boot", () => {
  it("is everything but idle, waiting and stolen time, with guests' counted once", () => {
    const read = inModule("cpu.since_boot(data['uptime'], data['stat'], 100)", {
      uptime: "1234.56 2000.00\n",
      stat,
    });
    const busySeconds = (70000 + 200 + 3000 + 40 + 560) / 100;
    expect(read).toEqual({ uptimeSeconds: 1234.56, busySeconds, interrupts: 98765 });
  });

  it("is read from this machine's kernel, and rises with work", () => {
    const [before, worked, after] = inModule(
      "[cpu.read(), sum(range(3_000_000)) and None, cpu.read()]",
      null,
    ) as [Record<string, number>, null, Record<string, number>];
    expect(worked).toBeNull();
    expect(after.uptimeSeconds).toBeGreaterThanOrEqual(before.uptimeSeconds as number);
    expect(after.busySeconds).toBeGreaterThan(before.busySeconds as number);
  });

  it.each([
    ["intr 1 2 3", "1.0 2.0"],
    ["cpu  1 2", "1.0 2.0"],
    ["cpu  1 2 3 4 5 6 7", ""],
  ])("is not made up from %j and %j", (text, uptime) => {
    const attempt = `(lambda: cpu.since_boot(data['uptime'], data['stat'], 100))`;
    expect(() => inModule(`${attempt}()`, { stat: text, uptime })).toThrow(/ValueError|IndexError/);
  });
});

describe("another host's CPU time", () => {
  const time = { uptimeSeconds: 60.5, busySeconds: 12 };
  const usage = { host: "h", role: "nat", cpu: null, network: null, problem: "x" };
  const checked = (cpuTime: unknown) => reportedUsage.parse({ ...usage, cpuTime }).cpuTime;

  it("is accepted in the protocol's shape, without unknown keys", () => {
    const junk = { start: { ...time, junk: "x" }, end: time, junk: [1] };
    expect(checked(junk)).toEqual({ start: time, end: time });
  });

  it.each([
    [null],
    [[1]],
    [{ start: time }],
    [{ start: null, end: time }],
    [{ start: time, end: { ...time, busySeconds: -1 } }],
    [{ start: time, end: { ...time, busySeconds: true } }],
    [{ start: time, end: { ...time, busySeconds: "12" } }],
    [{ start: time, end: { ...time, busySeconds: 1e300 } }],
  ])("is left out in any other shape: %j", (read) => {
    expect(checked(read)).toBeUndefined();
  });
});
