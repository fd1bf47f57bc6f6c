/** Common starts of several runners, with real agents on loopback. No network between hosts here. */
import { once } from "node:events";
import { existsSync, readFileSync } from "node:fs";
import { connect } from "node:net";
import { join } from "node:path";
import { describe, expect, it } from "vitest";
import type { RunSpec } from "../../bench/agent/protocol.ts";
import { signed } from "../helpers/agent-host.ts";
import { isRunning } from "../helpers/agent-runs.ts";
import { CLOSED_PORT } from "../helpers/ports.ts";
import { preparedHost } from "../helpers/prepared-host.ts";

/** The agent that holds the rendezvous; its runners stand for the clients of the pairs. */
const host = preparedHost("client");

const port = () => host.ports.agent;
const request = (id: string, member: number, more: object = {}) => ({
  op: "rendezvous",
  id,
  count: 2,
  member,
  maxSeconds: 20,
  ...more,
});
const call = (id: string, member: number, more: object = {}) => host.ask(request(id, member, more));
const released = { releasedSecondsAgo: expect.any(Number) };

/** A member's call that can be inspected while it waits. */
function caller(id: string, member: number, more: object = {}) {
  const state: { answer?: Record<string, unknown> } = {};
  const answer = call(id, member, more).then((got) => {
    state.answer = got;
    return got;
  });
  return { state, answer };
}

const waiting = async (id: string) =>
  ((await host.ask({ op: "status" })).waiting as Record<string, number[]>)[id];
/** Waits until these members' calls have arrived. */
const known = (id: string, ...members: number[]) =>
  expect.poll(async () => String(await waiting(id))).toBe(String(members));

describe("a rendezvous", () => {
  it("holds the first until the last has called, and tells how long ago that was", async () => {
    const first = caller("two", 1);
    await known("two", 1);
    expect(first.state.answer).toBeUndefined();
    const [a, b] = await Promise.all([first.answer, call("two", 2)]);
    expect([a, b]).toEqual([released, released]);
  });

  it("keeps two simultaneous ones apart", async () => {
    const [red, blue] = [caller("red", 1), caller("blue", 1)];
    await Promise.all([known("red", 1), known("blue", 1)]);
    expect(await call("blue", 2)).toEqual(released);
    expect(await blue.answer).toEqual(released);
    expect(red.state.answer).toBeUndefined();
    expect(await call("red", 2)).toEqual(released);
    expect(await red.answer).toEqual(released);
  });

  it("can be repeated under the same id", async () => {
    for (const _ of [1, 2]) {
      expect(await Promise.all([call("again", 1), call("again", 2)])).toEqual([released, released]);
    }
  });

  it("names missing members, and answers a late one at once", async () => {
    const refusal = { error: "of 2 pairs only 1 came to the start within 2 s, not 2" };
    expect(await call("late", 1, { maxSeconds: 2 })).toEqual(refusal);
    expect(await call("late", 2)).toEqual(refusal);
  });

  it("that restarts at once does not end like the former attempt", async () => {
    // Remembered for ten seconds, since the caller would have waited longer.
    const isOff = (id: string) => call(id, 1, { problem: "no way out" });
    const late = { error: "pair 1 cannot take part: no way out", final: true };
    expect(await isOff("other end")).toEqual({ ok: true });
    const both = (step: string) => Promise.all([call(`retry ${step}`, 1), call(`retry ${step}`, 2)]);
    expect(await both("sampling")).toEqual([released, released]);
    expect(await isOff("retry end")).toEqual({ ok: true });
    expect(await both("sampling")).toEqual([released, released]);
    expect(await both("end")).toEqual([released, released]);
    // Late callers of other members are still late.
    expect(await call("other end", 2)).toEqual(late);
  });

  it("ends for all when one cannot take part, whichever calls first", async () => {
    const refusal = { error: "pair 2 cannot take part: no way out", final: true };
    const waiting = caller("off", 1);
    await known("off", 1);
    expect(await call("off", 2, { problem: "no way out" })).toEqual({ ok: true });
    expect(await waiting.answer).toEqual(refusal);
    expect(await call("off", 1)).toEqual(refusal);
  });

  it("does not count a member twice", async () => {
    const first = caller("twice", 1);
    await known("twice", 1);
    const second = caller("twice", 1);
    expect(await first.answer).toEqual({ error: "another call has taken this one's place" });
    expect(second.state.answer).toBeUndefined();
    expect(await call("twice", 2)).toEqual(released);
    expect(await second.answer).toEqual(released);
  });

  it("does not count a caller that has hung up", async () => {
    const socket = connect(port(), "127.0.0.1").on("error", () => {});
    const [greeting] = (await once(socket.setEncoding("utf8"), "data")) as [string];
    socket.write(signed(request("gone", 1), JSON.parse(greeting).nonce, host.prepareSpec.secret));
    await known("gone", 1);
    socket.destroy();
    await expect.poll(() => waiting("gone")).toBeUndefined();
  });

  it.each<[string, object, string]>([
    ["no id", { id: "" }, "expected an id of 1 to 220 characters"],
    ["a long id", { id: "x".repeat(221) }, "expected an id of 1 to 220 characters"],
    ["an invalid id", { id: ["x"] }, "expected an id"],
    ["one member", { count: 1 }, "expected a count of 2 to 64"],
    ["too many members", { count: 65 }, "expected a count of 2 to 64"],
    ["a non-numeric count", { count: true }, "expected a count of 2 to 64"],
    ["a member beyond the count", { member: 3 }, "expected a member, 1 to count"],
    ["an endless wait", { maxSeconds: 1e9 }, "expected maxSeconds above 0, 86400 at most"],
    ["no wait", { maxSeconds: 0 }, "expected maxSeconds above 0, 86400 at most"],
    ["a non-text problem", { problem: {} }, "expected a problem that is a text"],
  ])("refuses %s", async (_, changes, message) => {
    expect((await call("refused", 1, changes)).error).toContain(message);
  });

  it("refuses strangers", async () => {
    const stranger = await host.ask(request("strange", 1), "another stack's secret");
    expect(stranger.error).toContain("not authentic");
  });

  it("bounds the number of waiting members", async () => {
    const held = Array.from({ length: 8 }, (_, index) => caller(`bound${index}`, 1));
    await Promise.all(held.map((_, index) => known(`bound${index}`, 1)));
    expect(await call("one too many", 1)).toEqual({
      error: "8 starts are waiting already, and no more are taken",
    });
    await Promise.all(held.map((_, index) => call(`bound${index}`, 2)));
    expect(await Promise.all(held.map(({ answer }) => answer))).toEqual(Array(8).fill(released));
    expect(await Promise.all([call("room again", 1), call("room again", 2)])).toEqual([released, released]);
  });

  it("remembers few failures of many", async () => {
    await call("oldest", 2, { problem: "gone" });
    for (let index = 0; index < 64; index++) await call(`failed${index}`, 2, { problem: "x".repeat(900) });
    expect(await call("oldest", 1, { maxSeconds: 0.1 })).toEqual({
      error: expect.stringContaining("only 1 came to the start"),
    });
    expect((await call("failed63", 1)).error).toHaveLength(500 + "pair 2 cannot take part: ".length);
  });
});

describe("runs with a rendezvous", () => {
  const spec = (id: string, member: number, changes: Partial<RunSpec> = {}): Partial<RunSpec> => ({
    key: `${id}.${member}`,
    command: `echo ${member} >> ${id}; sleep 0.3`,
    rendezvous: { address: "127.0.0.1", port: port(), id, count: 3, member, waitSeconds: 20 },
    ...changes,
  });
  const started = (id: string) =>
    existsSync(join(host.home, id)) ? readFileSync(join(host.home, id), "utf8") : "";

  it("start when all have called, and tell when they did", async () => {
    const early = [host.run(spec("all", 1)), host.run(spec("all", 2))];
    await known("all sampling", 1, 2);
    expect(started("all")).toBe("");
    const reports = await Promise.all([...early, host.run(spec("all", 3))]);
    expect(reports.map(({ failure }) => failure)).toEqual([null, null, null]);
    expect(started("all").split("\n").filter(Boolean).sort()).toEqual(["1", "2", "3"]);
    for (const { startedAfterMs } of reports) {
      expect(startedAfterMs).toBeGreaterThan(0);
      expect(startedAfterMs).toBeLessThan(5000);
    }
  });

  it("fail before the start when one cannot prove its path", async () => {
    const path = { ...host.runSpec().path, expected: ["192.0.2.1"] };
    const reports = await Promise.all([
      host.run(spec("wrong", 1)),
      host.run(spec("wrong", 2, { path })),
      host.run(spec("wrong", 3)),
    ]);
    expect(reports.map(({ failure }) => failure?.class)).toEqual(["not-run", "path-mismatch", "not-run"]);
    expect(reports[0]?.failure?.message).toMatch(
      /^the pairs did not start together: pair 2 cannot take part: .*saw 127/,
    );
    expect(reports.map(({ startedAfterMs }) => startedAfterMs)).toEqual([null, null, null]);
    expect(started("wrong")).toBe("");
  });

  it("are no results after the time allowed when one is missing, and the next call measures", async () => {
    const place = (member: number) => ({ ...spec("short", member).rendezvous!, waitSeconds: 0.7 });
    const call = (member: number) =>
      host.call(["run"], host.runSpec(spec("short", member, { rendezvous: place(member) })));
    for (const { status, stdout, stderr } of await Promise.all([call(1), call(3)])) {
      expect([status, stdout]).toEqual([1, ""]);
      expect(stderr).toMatch(
        /host lost: .*of 3 pairs only 1, 3 came to the start within 0\.7 s, not 2; the next `pulumi up` measures this case again/,
      );
    }
    expect(started("short")).toBe("");
    // Late callers get their answer at once for as long as the others waited.
    await expect.poll(() => call(2).then(({ stderr }) => stderr)).toContain("only 2 came");
  });

  it("are no results when one is lost midway, and measure again together", async () => {
    const place = (member: number) => ({ ...spec("middle", member).rendezvous!, count: 2, waitSeconds: 1 });
    const pair = (member: number, seconds: number) =>
      host.runSpec({
        ...spec("middle", member, { rendezvous: place(member), command: `sleep ${seconds}` }),
        timeoutSeconds: 2,
      });
    const kept = host.call(["run"], pair(1, 0.2));
    const lost = host.start(["run"], pair(2, 1.7));
    await expect.poll(() => isRunning(host, "sleep 1.7")).toBe(true);
    process.kill(Number(readFileSync(join(host.directory, "runs/middle.2/runner.pid"), "utf8")), "SIGKILL");
    expect((await lost.outcome).status).toBe(1);
    expect(await kept).toMatchObject({
      status: 1,
      stdout: "",
      stderr: expect.stringMatching(/host lost: the pairs did not end together: of 2 pairs only 1 came/),
    });
    // Once late callers no longer get the first run's answer.
    const both = () => Promise.all([1, 2].map((member) => host.call(["run"], pair(member, 0.2))));
    await expect.poll(async () => (await both()).map(({ status }) => status)).toEqual([0, 0]);
  });

  it("are no results when no agent holds the rendezvous", async () => {
    const rendezvous = { ...spec("nobody", 1).rendezvous!, port: CLOSED_PORT };
    const outcome = await host.call(["run"], host.runSpec(spec("nobody", 1, { rendezvous })));
    expect(outcome).toMatchObject({ status: 1, stdout: "" });
    expect(outcome.stderr).toContain(
      `host lost: no answer from the rendezvous at 127.0.0.1:${CLOSED_PORT}: Connection refused`,
    );
  });

  it("fail if the others have measured without this one, which would wait in vain", async () => {
    const place = (member: number) => ({ ...spec("alone", member).rendezvous!, count: 2, waitSeconds: 2 });
    const pair = (member: number) => spec("alone", member, { rendezvous: place(member) });
    await Promise.all([host.run(pair(1)), host.run(pair(2))]);
    const { failure } = await host.run({ ...pair(2), key: "alone.2.again" });
    expect(failure).toMatchObject({ class: "not-run", message: expect.stringContaining("measured already") });
  });

  it("sample their hosts from the start, not from the wait", async () => {
    const self = { host: "here", role: "client" as const, address: "127.0.0.1", port: port() };
    const two = (member: number) => ({ ...spec("sampled", member).rendezvous!, count: 2, waitSeconds: 20 });
    const first = host.run(spec("sampled", 1, { command: "sleep 2.2", observe: [self], rendezvous: two(1) }));
    await known("sampled sampling", 1);
    const uptime = Number.parseFloat(readFileSync("/proc/uptime", "utf8"));
    const [report] = await Promise.all([first, host.run(spec("sampled", 2, { rendezvous: two(2) }))]);
    expect(report.hosts[0]?.problem).toBeNull();
    expect(report.hosts[0]?.cpuTime?.start?.uptimeSeconds).toBeGreaterThanOrEqual(uptime);
    expect(report.hosts[0]?.cpu?.series.length).toBeLessThanOrEqual(3);
  });

  it.each<[string, object, string]>([
    ["alone", { count: 1 }, "rendezvous.count: expected an integer, 2 to 64, got 1"],
    ["as a member beyond the count", { member: 4 }, "rendezvous.member: expected an integer, 1 to 3, got 4"],
    ["for ever", { waitSeconds: 1e6 }, "rendezvous.waitSeconds: expected a number above 0, 300 at most"],
    ["nowhere", { address: "" }, "rendezvous.address: expected an address"],
  ])("are refused %s", async (_, changes, message) => {
    const rendezvous = { ...spec("bad", 1).rendezvous, ...changes };
    const outcome = await host.call(["run"], { ...host.runSpec(), rendezvous });
    expect(outcome).toMatchObject({ status: 2, stdout: "" });
    expect(outcome.stderr).toContain(message);
  });

  it("are refused with a second attempt, which the others would not join", async () => {
    const retry = { patterns: [], attempts: 2, delaySeconds: 0 };
    const outcome = await host.call(["run"], { ...host.runSpec(), ...spec("retry", 1), retry });
    expect(outcome.stderr).toContain("retry.attempts: expected 1 with a rendezvous, got 2");
  });
});
