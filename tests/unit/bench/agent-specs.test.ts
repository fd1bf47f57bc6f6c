/** Both sides of the agent's protocol refuse the same specifications. Proves nothing about what the agent does with one. */
import { beforeAll, describe, expect, test } from "vitest";
import { observedSysctls } from "../../../bench/agent/contract.ts";
import { prepareSpecSchema, RUN_KEY, runSpecSchema, SPEC_BOUNDS } from "../../../bench/agent/protocol.ts";
import { MAX_PAIRS } from "../../../bench/tools/iperf3/plan.ts";
import { evaluate } from "../../helpers/agent-host.ts";

const prepare = {
  ...{ version: 1, host: "a", role: "client", secret: "0123456789abcdef", executables: [], port: 5 },
  services: [] as object[],
};
const run = {
  ...{ version: 1, key: "1.a", command: "true", pauseSeconds: 0, timeoutSeconds: 1, reducer: "none" },
  retry: { patterns: [], attempts: 1, delaySeconds: 0 },
  path: { address: "198.18.0.1", port: 5, expected: [], forbidden: [] },
  observe: [] as object[],
};
const member = { address: "198.18.0.1", port: 5, id: "a", count: 2, member: 1, waitSeconds: 1 };
const many = <T>(count: number, one: T) => Array.from({ length: count }, () => one);
const host = { host: "a", role: "nat", address: "198.18.0.1", port: 5 };
const service = { name: "a", port: 5, command: ["true"] };

const preparing = {
  secret: (count: number) => ({ ...prepare, secret: "a".repeat(count) }),
  services: (count: number) => ({ ...prepare, services: many(count, service) }),
};
const running = {
  pauseSeconds: (value: number) => ({ ...run, pauseSeconds: value }),
  timeoutSeconds: (value: number) => ({ ...run, timeoutSeconds: value }),
  renew: (value: number) => ({ ...run, renew: [value] }),
  attempts: (value: number) => ({ ...run, retry: { ...run.retry, attempts: value } }),
  delaySeconds: (value: number) => ({ ...run, retry: { ...run.retry, delaySeconds: value } }),
  observe: (count: number) => ({ ...run, observe: many(count, host) }),
  hosts: (count: number) => ({ ...run, hosts: "a".repeat(count) }),
  key: (count: number) => ({ ...run, key: "a".repeat(count) }),
  id: (count: number) => ({ ...run, rendezvous: { ...member, id: "a".repeat(count) } }),
  count: (count: number) => ({ ...run, rendezvous: { ...member, count } }),
  waitSeconds: (value: number) => ({ ...run, rendezvous: { ...member, waitSeconds: value } }),
};
const mostOfKey = Number(/,(\d+)\}/.exec(RUN_KEY)?.[1]);

const TAKES = `
def takes(check, spec):
    try:
        check(spec)
        return True
    except errors.BadInput:
        return False
`;

/** Which specifications the agent takes, by their name. */
function taken(
  check: string,
  specs: Readonly<Record<string, readonly object[]>>,
): Readonly<Record<string, readonly boolean[]>> {
  const each = `{name: [takes(specs.${check}, one) for one in some] for name, some in data.items()}`;
  return evaluate(each, specs, TAKES) as ReturnType<typeof taken>;
}

/** Values in and out of bounds, per number of the specification. */
const bounds: Readonly<Record<string, readonly (readonly [value: number, isAllowed: boolean])[]>> = {
  secret: [
    [SPEC_BOUNDS.secretCharacters - 1, false],
    [SPEC_BOUNDS.secretCharacters, true],
  ],
  services: upTo(SPEC_BOUNDS.services),
  pauseSeconds: [[0, true], ...upTo(SPEC_BOUNDS.pauseSeconds)],
  timeoutSeconds: [[0, false], ...upTo(SPEC_BOUNDS.timeoutSeconds)],
  renew: [[0, false], ...upTo(65_535)],
  attempts: [[0, false], ...upTo(SPEC_BOUNDS.attempts)],
  delaySeconds: [[0, true], ...upTo(SPEC_BOUNDS.delaySeconds)],
  observe: upTo(SPEC_BOUNDS.observed),
  hosts: [[0, false], ...upTo(SPEC_BOUNDS.idCharacters)],
  key: [[0, false], ...upTo(mostOfKey)],
  id: [[0, false], ...upTo(SPEC_BOUNDS.idCharacters)],
  count: [[1, false], ...upTo(MAX_PAIRS)],
  waitSeconds: [[0, false], ...upTo(SPEC_BOUNDS.waitSeconds)],
};

function upTo(most: number): [number, boolean][] {
  return [
    [most, true],
    [most + 1, false],
  ];
}

describe.each([
  ["check_prepare", preparing, prepareSpecSchema],
  ["check_run", running, runSpecSchema],
] as const)("%s and the schema", (check, makers, schema) => {
  const specs = Object.entries<(value: number) => object>(makers).map(
    ([name, make]) => [name, (bounds[name] ?? []).map(([value]) => make(value))] as const,
  );
  let byAgent: ReturnType<typeof taken>;
  beforeAll(() => {
    byAgent = taken(check, Object.fromEntries(specs));
  });

  test.each(specs)("have the same bounds of %s", (name, asked) => {
    expect(asked.length).toBeGreaterThan(1);
    const bySchema = asked.map((one) => schema.safeParse(one).success);
    const expected = bounds[name]?.map(([, isAllowed]) => isAllowed);
    expect({ bySchema, byAgent: byAgent[name] }).toEqual({ bySchema: expected, byAgent: expected });
  });
});

test("both sides judge the names of executables alike", () => {
  const names = { iperf3: true, "g++-12.1": true, "../sh": false, é: false, "a b": false };
  const specs = Object.keys(names).map((name) => ({ ...prepare, executables: [name] }));
  const bySchema = specs.map((spec) => prepareSpecSchema.safeParse(spec).success);
  const byAgent = taken("check_prepare", { names: specs }).names;
  expect({ bySchema, byAgent }).toEqual({ bySchema: Object.values(names), byAgent: Object.values(names) });
});

test("the agent reads the kernel settings that the contract names, and probes silence by the shortest NAT time-out", () => {
  expect(evaluate("host_facts.SYSCTLS")).toEqual(observedSysctls);
  // Azure's NAT gateway: 4 minutes. One probe may be lost.
  expect(evaluate("[control_port.KEEP_ALIVE_SECONDS, attempts.KEEP_ALIVE_SECONDS]")).toEqual([60, 60]);
});
