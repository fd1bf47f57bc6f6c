/**
 * The function that points private routes to a NAT gateway and back: its own Python, in scenarios. Not proved: that AWS
 * takes its requests, and how soon CloudWatch knows a beat. Its text is linted with the agent's (tests/python-lint.ts).
 */
import { afterAll, describe, expect, it } from "vitest";
import { BEAT_DIMENSION, BEAT_METRIC } from "../../../components/aws/nat-instance.ts";
import {
  LIFECYCLE_KEY,
  routeSwitch,
  SWITCH_LOOKS,
} from "../../../components/aws/operators/route-switch-function.ts";
import { BEAT_SECONDS } from "../../../components/nat-instance/index.ts";
import { GATEWAY, INTERFACE, type Look, RouteSwitch } from "../../helpers/route-switch.ts";

const python = new RouteSwitch();
afterAll(() => python.end());

/** The successive targets of a table's route, with the second of each change. */
function way(looks: readonly Look[], table = "rtb-1"): [number, string | null][] {
  return looks.flatMap(({ at, routes }, index): [number, string | null][] => {
    const target = routes[table] as string | null;
    return index > 0 && looks[index - 1]?.routes[table] === target ? [] : [[at, target]];
  });
}
const places = (looks: readonly Look[], table?: string) => way(looks, table).map(([, place]) => place);
type Happening = Parameters<RouteSwitch["looksOf"]>[0][number];
const on = (at: number, what: Omit<Happening, "at">): Happening => ({ at, ...what });
/** Seconds of each 15 at which a machine may report. */
const phases = Array.from({ length: 15 }, (_, phase) => phase);
const problems = (looks: readonly Look[]) => [...new Set(looks.flatMap((look) => look.problems))];

it("knows beats, metric and event as the machine and Pulumi write them", () => {
  const program = routeSwitch();
  for (const line of [
    `BEAT_SECONDS = ${BEAT_SECONDS}`,
    `LOOKS = ${SWITCH_LOOKS}`,
    `        "MetricName": "${BEAT_METRIC}",`,
    `        "Dimensions": [{"Name": "${BEAT_DIMENSION}", "Value": settings["networkInterfaceId"]}],`,
    `    match event.get("${LIFECYCLE_KEY}", {}).get("action"):`,
  ]) {
    expect(program.split("\n")).toContain(line);
  }
});

describe("a machine that forwards", () => {
  it("keeps its route, and no request to EC2 would change one", async () => {
    const looks = await python.looksOf([]);
    expect(places(looks)).toEqual([INTERFACE]);
    expect(looks.every(({ requests }) => requests === 0)).toBe(true);
    expect(problems(looks)).toEqual([]);
  });

  it("keeps it whenever it beats, and where a beat is known after 14 s only", async () => {
    const each = await python.looksOfEach(
      phases.map((phase) => ({ phase, happenings: [on(-120, { delay: 14 })] })),
    );
    expect(each.map((looks) => places(looks))).toEqual(phases.map(() => [INTERFACE]));
  });

  it("keeps it when one beat is lost, and another", async () => {
    const lost = [100, 300].flatMap((at) => [
      on(at, { machine: null }),
      on(at + 15, { machine: 1 as const }),
    ]);
    expect(places(await python.looksOf(lost))).toEqual([INTERFACE]);
  });
});

describe("a machine that dies without a word", () => {
  it("is replaced by the gateway within 75 s, and only after three missing reports", async () => {
    const at = 100;
    for (const looks of await python.looksOfEach(
      phases.map((phase) => ({ phase, happenings: [on(at, { machine: null })] })),
    )) {
      const [, [left = 0, target] = []] = way(looks);
      expect(target).toBe(GATEWAY);
      expect(left - at).toBeGreaterThan(30);
      expect(left - at).toBeLessThanOrEqual(75);
    }
  });

  it.each([1, 14])(
    "gets its clients back once another has forwarded for a minute, beats known after %i s",
    async (delay) => {
      const happenings = [on(-120, { delay }), on(100, { machine: null }), on(300, { machine: 1 as const })];
      for (const looks of await python.looksOfEach(phases.map((phase) => ({ phase, happenings })))) {
        const [, , [back = 0, target] = []] = way(looks);
        expect(target).toBe(INTERFACE);
        expect(back).toBeGreaterThanOrEqual(345);
        expect(back).toBeLessThanOrEqual(390);
      }
    },
  );
});

describe("a machine that says that it does not forward, or is about to go", () => {
  it("is replaced at the next check", async () => {
    const looks = await python.looksOf([on(100, { machine: 0 })], { phase: 10 });
    expect(way(looks)).toEqual([
      [0, INTERFACE],
      [105, GATEWAY],
    ]);
  });

  it("is replaced also if its last report comes between two regular ones", async () => {
    const looks = await python.looksOf([on(101, { beat: 0 }), on(102, { machine: null })], { phase: 13 });
    expect(way(looks)[1]).toEqual([105, GATEWAY]);
  });

  it("loses its clients once while it flaps, and gets them back afterwards", async () => {
    const flapping = Array.from({ length: 12 }, (_, index) => ({
      at: 60 + 30 * index,
      machine: (index % 2) as 0 | 1,
    }));
    const looks = await python.looksOf([...flapping, on(420, { machine: 1 })], { seconds: 900 });
    expect(places(looks)).toEqual([INTERFACE, GATEWAY, INTERFACE]);
    expect(way(looks)[2]?.[0]).toBeGreaterThan(460);
  });
});

describe("what is not known moves nothing", () => {
  it.each(["get_metric_data", "describe_route_tables", "describe_nat_gateways"])(
    "%s fails",
    async (request) => {
      const looks = await python.looksOf([
        on(50, { machine: null, failing: [request] }),
        on(200, { failing: [] }),
      ]);
      expect(way(looks)).toEqual([
        [0, INTERFACE],
        [210, GATEWAY],
      ]);
      expect(problems(looks)).toEqual([`${request}: UnauthorizedOperation`]);
    },
  );

  it.each([
    [null, /nat-1 is gone; routes stay where they are/],
    ["pending", /nat-1 is pending/],
    ["failed", /nat-1 is failed/],
  ])("the gateway is %s: routes stay until it is available", async (gateway, message) => {
    const looks = await python.looksOf([
      on(20, { gateway }),
      on(50, { machine: null }),
      on(200, { gateway: "available" }),
    ]);
    expect(way(looks)).toEqual([
      [0, INTERFACE],
      [210, GATEWAY],
    ]);
    expect(problems(looks).join()).toMatch(message);
  });

  it("a missing gateway does not keep clients from going back", async () => {
    const looks = await python.looksOf([
      on(50, { machine: null }),
      on(200, { gateway: null }),
      on(250, { machine: 1 }),
    ]);
    expect(places(looks)).toEqual([INTERFACE, GATEWAY, INTERFACE]);
  });
});

describe("several route tables", () => {
  const tables = ["rtb-1", "rtb-2", "rtb-3"];

  it("move together, there and back", async () => {
    const looks = await python.looksOf([on(100, { machine: null }), on(300, { machine: 1 })], { tables });
    for (const table of tables) {
      expect(way(looks, table)).toEqual(way(looks, "rtb-1"));
      expect(places(looks, table)).toEqual([INTERFACE, GATEWAY, INTERFACE]);
    }
  });

  it("move without the one that EC2 refuses, which is retried at each check", async () => {
    const looks = await python.looksOf(
      [on(100, { machine: null, failing: ["rtb-2"] }), on(300, { failing: [] })],
      { tables },
    );
    expect(places(looks, "rtb-1")).toEqual([INTERFACE, GATEWAY]);
    expect(places(looks, "rtb-3")).toEqual([INTERFACE, GATEWAY]);
    expect(way(looks, "rtb-2")[1]).toEqual([300, GATEWAY]);
    expect(problems(looks)).toEqual(["rtb-2: replace_route rtb-2: UnauthorizedOperation"]);
  });

  it("move without one that has lost its route, which is reported", async () => {
    const looks = await python.looksOf([on(20, { route: { "rtb-2": null } }), on(100, { machine: null })], {
      tables,
    });
    expect(places(looks, "rtb-3")).toEqual([INTERFACE, GATEWAY]);
    expect(places(looks, "rtb-2")).toEqual([INTERFACE, null]);
    expect(problems(looks)).toEqual(["rtb-2 has no route 0.0.0.0/0; run pulumi up --refresh"]);
  });

  it("keep targets set on purpose, and leave deleted targets for existing ones", async () => {
    const looks = await python.looksOf(
      [on(20, { route: { "rtb-1": "tgw-1", "rtb-2": "eni-gone" } }), on(200, { machine: null })],
      { tables },
    );
    expect(places(looks, "rtb-1")).toEqual([INTERFACE, "tgw-1"]);
    // Back at its own interface at the next look, and on from there with the machine.
    expect(places(looks, "rtb-2")).toEqual([INTERFACE, GATEWAY]);
  });
});

describe("called once a minute", () => {
  const minute = { source: "aws.events" };

  it("checks four times, and fails if the last check finds a problem", async () => {
    expect(await python.handled(minute)).toEqual({ waits: [15, 15, 15], error: null, moved: {} });
    expect((await python.handled(minute, { get_metric_data: 3 })).error).toBeNull();
    expect(await python.handled(minute, { get_metric_data: 4 })).toMatchObject({
      waits: [15, 15, 15],
      error: "get_metric_data: UnauthorizedOperation",
    });
  });
});

describe.each(["create", "update"])("called by Pulumi to %s", (action) => {
  const event = { lifecycle: { action } };
  const routes = { "rtb-1": INTERFACE, "rtb-2": INTERFACE };

  it("tries all its later requests, and moves nothing", async () => {
    expect(await python.handled(event, {}, routes)).toEqual({ waits: [], error: null, moved: {} });
  });

  it("gives a new role half a minute, and then fails with the refusal", async () => {
    expect(await python.handled(event, { replace_route: 3 }, routes)).toEqual({
      waits: [5, 5],
      error: null,
      moved: {},
    });
    const refused = await python.handled(event, { replace_route: 100 }, routes);
    expect(refused.waits).toHaveLength(6);
    expect(refused.error).toBe(
      "rtb-1: replace_route: UnauthorizedOperation; rtb-2: replace_route: UnauthorizedOperation",
    );
    for (const request of ["get_metric_data", "describe_route_tables", "describe_nat_gateways"]) {
      expect((await python.handled(event, { [request]: 100 }, routes)).error).toBe(
        `${request}: UnauthorizedOperation`,
      );
    }
  });
});

describe("called by Pulumi to delete", () => {
  const event = { lifecycle: { action: "delete" } };
  const routes = { "rtb-1": GATEWAY, "rtb-2": INTERFACE, "rtb-3": "eni-of-somebody" };

  it("waits for running checks, and points the gateway's routes to the machine", async () => {
    expect(await python.handled(event, {}, routes)).toEqual({
      waits: [60],
      error: null,
      moved: { "rtb-1": INTERFACE },
    });
  });

  it("fails if it cannot, so that the gateway stays", async () => {
    expect((await python.handled(event, { replace_route: 1 }, routes)).error).toBe(
      "rtb-1: replace_route: UnauthorizedOperation",
    );
    expect((await python.handled(event, { describe_route_tables: 1 }, routes)).error).toContain(
      "UnauthorizedOperation",
    );
  });
});
