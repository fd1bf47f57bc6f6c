/** Facts shared by these tools and the agent's Python are equal on both sides. */
import { describe, expect, it } from "vitest";
import type { z } from "zod";
import { contractText } from "../../../bench/agent/contract.ts";
import { parsePlan, toolOf } from "../../../bench/index.ts";
import { hostUsageSchema, networkUsageSchema } from "../../../bench/results/index.ts";
import { tools } from "../../../bench/tools/index.ts";
import { iperf3 } from "../../../bench/tools/iperf3/index.ts";
import { agentSources } from "../../../components/benchmark/agent-sources.ts";
import { evaluate } from "../../helpers/agent-host.ts";

const ADDRESS = "198.18.0.2";

describe("a search's trial runs the command of a case", () => {
  const udp = { direction: "egress", protocol: "udp" } as const;
  it.each([
    ["a rate", { ...udp, streams: 1, datagramBytes: null, omitSeconds: 0 }, 10_000_000],
    ["several streams", { ...udp, streams: 4, datagramBytes: 64, omitSeconds: 2 }, 10_000_000],
    [
      "from the server",
      { ...udp, direction: "ingress", streams: 1, datagramBytes: 1400, omitSeconds: 0 },
      1e6,
    ],
    ["TCP", { direction: "egress", protocol: "tcp", streams: 8, datagramBytes: null, omitSeconds: 1 }, null],
  ] as const)("%s", (_, { direction, protocol, streams, datagramBytes, omitSeconds }, rate) => {
    const given = {
      goal: protocol === "tcp" ? "peak" : "ndr",
      address: ADDRESS,
      port: "5201",
      direction,
      duration: "5",
      omit: String(omitSeconds),
      bytes: String(datagramBytes ?? 0),
    };
    const words = evaluate("search.Trials(data[0])._command(data[1], data[2], 5)", [given, streams, rate]);
    const command = iperf3.command(
      {
        ...{ id: "x", tool: "iperf3", direction, protocol, streams, datagramBytes, omitSeconds },
        ...{ durationSeconds: 5, congestion: null, pairs: null },
        bitsPerSecond: rate === null ? null : rate / streams,
      },
      ADDRESS,
    );
    const sorted = (text: string) => text.split(/ (?=-)/).sort();
    expect(sorted((words as string[]).join(" "))).toEqual(sorted(command));
  });
});

it("the agent's contract is the one that TypeScript makes", () => {
  expect(agentSources()["contract.json"], "run `npm run reference`").toBe(contractText());
});

it("the agent's programs name no tool of the contract", () => {
  const inCode = Object.entries(agentSources()).flatMap(([path, text]) =>
    path.endsWith(".py") && /["'](?:iperf3|irtt|ntttcp|sockperf|vegeta)["'.: ]/.test(text) ? [path] : [],
  );
  expect(inCode).toEqual([]);
});

it("every figure that hosts sample once a second, or as a total, is declared on each side", () => {
  const named = (names: string) => (evaluate(`[${names}]`) as string[]).sort();
  const keys = ({ shape }: z.ZodObject) => Object.keys(shape).sort();
  const { series, interfaces } = networkUsageSchema.shape;
  const counted = ["RATES", "COUNTS", "LEVELS", "RARE"].map((names) => `*network_usage.${names}`);
  expect(named(`'at', ${counted.join(", ")}`)).toEqual(keys(series.element));
  expect(named("'name', 'restarted', *network_usage.TOTALS")).toEqual(keys(interfaces.element));
  const cpu = hostUsageSchema.shape.cpu.unwrap().shape.series.element;
  expect(named("'at', *cpu_usage.SERIES_KINDS")).toEqual(keys(cpu));
});

it("every reducer that a tool names is one that the agent has", () => {
  const spec = { version: 1, key: "k", command: "true", pauseSeconds: 0, timeoutSeconds: 1 };
  const retry = { patterns: [], attempts: 1, delaySeconds: 0 };
  const path = { address: "a", port: 1, expected: [], forbidden: [] };
  for (const { reducer = "none" } of Object.values(tools)) {
    const whole = { ...spec, reducer, retry, path, observe: [] };
    expect(evaluate("specs.check_run(data)", whole)).toMatchObject({ reducer });
  }
});

it("every program of the agent that a command or a service starts is one of its files", () => {
  const cases = ["standard", "nat-limits", "streams", "soak"].flatMap((preset) => parsePlan(preset).cases);
  const words = [
    ...cases.flatMap((one) => toolOf(one).command(one, ADDRESS).split(" ")),
    ...Object.values(tools).flatMap((tool) => tool.services({}).flatMap(({ command }) => command)),
  ];
  const started = new Set(words.flatMap((word) => /^\.egress-bench\/(.+\.py)$/.exec(word)?.[1] ?? []));
  expect(started.size).toBeGreaterThan(3);
  const files = Object.keys(agentSources());
  expect([...started].filter((file) => !files.includes(file))).toEqual([]);
});
