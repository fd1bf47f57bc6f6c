/**
 * Tables of an answer: ways out with reasons, needs and costs. The page makes them again at each change
 * of an input.
 */
import { groupBy } from "../../bench/group-by.ts";
import { formatBitRate, formatMicroseconds } from "../../bench/plan/quantities.ts";
import { defaultPortAllocation, limits, limitsOf } from "../../bench/topologies/limits.ts";
import type { ChargeKind } from "../../bench/topologies/topology.ts";
import { type Answer, type AnswerData, pricedIn } from "../choice/answer.ts";
import type { Assessed } from "../choice/assess.ts";
import { capacityWords } from "../choice/capacity.ts";
import { billedTraffic } from "../choice/needs.ts";
import { costKey } from "../choice/twins.ts";
import { nameOf, timesOf } from "../choice/words.ts";
import { billOf, type Cost, HOURS_PER_MONTH, sumOf } from "../cost/bill.ts";
import { cell, headOf, type ReportTable, type TableCell } from "../document/table.ts";
import { amount, count, money, orMissing } from "../text/format.ts";

/**
 * Ways out of an answer: the pick first, then fitting, possible and excluded ones, and the yardsticks.
 *
 * @param from The first row's place in that order. @default 0
 * @param to The place after the last row. @default all
 */
export function waysTable(answer: Answer, from = 0, to?: number): ReportTable {
  const order = ["fits", "test", "excluded", "yardstick"];
  const rank = (one: Assessed) =>
    one.id === answer.pick?.id ? -2 : one.id === answer.runnerUp?.id ? -1 : order.indexOf(one.status);
  const sorted = answer.assessed.toSorted(
    (a, b) => rank(a) - rank(b) || (a.totalCost ?? Number.MAX_VALUE) - (b.totalCost ?? Number.MAX_VALUE),
  );
  const timed = sorted.some(({ latencyUs }) => latencyUs !== null);
  return {
    head: headOf([
      "Way out",
      "Answer",
      "Cost a month",
      "Carries",
      "Margin",
      ...(timed ? ["Latency, p50"] : []),
    ]),
    rows: sorted.slice(from, to).map((one) => {
      const { look } = one.way;
      const { state, text } = standing(answer, one);
      return [
        cell(nameOf(one), look),
        // Its capacity has a column.
        { text, notes: one.status === "fits" ? one.why.slice(1) : one.why, state, column: look },
        cell(
          costText(one.bill, answer.currency),
          look,
          one.bill.missing.map((meter) => `no price: ${meter}`),
        ),
        carriesCell(one),
        cell(
          one.capacity === null || !Number.isFinite(one.margin) || one.margin === 0
            ? "-"
            : timesOf(one.margin),
          look,
        ),
        ...(timed ? [measuredCell(one.latencyUs, formatMicroseconds, look)] : []),
      ];
    }),
  };
}

/** The capacity and the grade of its evidence. */
function carriesCell({ capacity, bitsPerSecond, way }: Assessed): TableCell {
  return capacity === null
    ? measuredCell(bitsPerSecond, formatBitRate, way.look)
    : { ...cell(capacityWords(capacity), way.look), state: capacity.grade === "none" ? "missing" : "ok" };
}

function measuredCell(value: number | null, format: (value: number) => string, column: number): TableCell {
  return { ...cell(orMissing(value, format), column), state: value === null ? "missing" : "ok" };
}

function standing({ pick, runnerUp }: Answer, { id, status }: Assessed): Pick<TableCell, "state" | "text"> {
  if (id === pick?.id) {
    return { text: "pick", state: "pick" };
  }
  const text = {
    fits: id === runnerUp?.id ? "runner-up" : "fits",
    test: "needs a test",
    excluded: "no",
    yardstick: "yardstick",
  }[status];
  return { text, state: status === "fits" ? "ok" : "missing" };
}

/** Ways out that this product does not build, at the prices of the cloud's default region. */
export function otherWaysTable({ others, needs, currency }: Answer): ReportTable {
  return {
    head: headOf(["Way out", "Cost a month", "Carries"]),
    rows: others.map(({ title, rules, bitsPerSecond, notes, least }) => [
      cell(title),
      cell(
        `${least ? "from " : ""}${costText(billOf(rules, { hours: HOURS_PER_MONTH, ...billedTraffic(needs), gateways: needs.zones }), currency)}`,
        null,
        notes,
      ),
      cell(bitsPerSecond === null ? "nothing known" : `${formatBitRate(bitsPerSecond)} published`),
    ]),
  };
}

/** Needed ports, addresses and gateways of each way out, with the formula. */
export function sizingTable({ assessed, needs }: Answer): ReportTable {
  const sized = assessed.filter(({ need }) => need !== null);
  const rows = sharedRows(sized, ({ need, way }) =>
    [way.topology, way.out, need?.addresses, need?.formula, need?.tooSmall].join(" "),
  ).flatMap(({ need, way, sharing }) => {
    if (need === null) {
      return [];
    }
    const { look } = way;
    const isAllotted = way.out !== null && limitsOf(way.cloud, way.out)?.ports === "allotted";
    const more = isAllotted ? allocationNotes(needs.machines, need.ports) : [];
    return [
      [
        cell(way.id, look, sharing("need")),
        cell(need.ports === null ? "not known" : count(need.ports), look),
        cell(count(need.addresses), look),
        cell(count(need.gateways), look),
        cell(need.formula, look, [
          ...(need.tooSmall === null ? [] : [`too small: ${need.tooSmall}`]),
          ...more,
        ]),
      ],
    ];
  });
  return { head: headOf(["Way out", "Ports", "Addresses", "Gateways or machines", "How"]), rows };
}

/** Number of ways out above which equal ones share rows. */
const MOST_ROWS = 24;

/** One row for several ways out with an equal key, with a note on their number; separate rows if they are few. */
export function sharedRows<Way extends Assessed>(assessed: readonly Way[], keyOf: (one: Way) => string) {
  const groups =
    assessed.length > MOST_ROWS ? [...groupBy(assessed, keyOf).values()] : assessed.map((one) => [one]);
  return groups.flatMap(([one, ...others]) => {
    const sharing = (what: string) =>
      others.length === 0 ? [] : [`and ${count(others.length)} of the same ${what}`];
    return one === undefined ? [] : [{ ...one, sharing }];
  });
}

function allocationNotes(machines: number, ports: number | null): string[] {
  const given = defaultPortAllocation.find((one) => machines <= one.machines)?.ports ?? null;
  if (given === null) {
    return ["by default: no more than 1,000 machines"];
  }
  const each = ports === null ? null : ports / machines;
  const most = limits.azure["load-balancer"].portsPerMachine;
  const enough =
    each === null
      ? ""
      : each <= given
        ? ", enough"
        : each <= most
          ? `, too few: set ${count(each)} each`
          : `, too few: ${count(most)} each are the most`;
  return [
    `by default: ${count(given)} ports for each machine and address, with ${count(machines)} ${machines === 1 ? "machine" : "machines"}${enough}`,
  ];
}

const kinds = [
  ["Service", ["service"]],
  ["Data processing", ["data"]],
  ["Addresses", ["address"]],
  ["Disk", ["disk"]],
  ["Internet egress", ["egress"]],
] as const satisfies readonly (readonly [string, readonly ChargeKind[]])[];

/** The bill: one row per way out, one column per kind of charge in the total's currency. Among many ways out, equal bills share a row. */
export function costTable({ assessed, currency }: Answer): ReportTable {
  return {
    head: headOf(["Way out", ...kinds.map(([name]) => name), "Total a month"]),
    rows: sharedRows(assessed, costKey).map(({ way, bill, sharing }) => [
      cell(way.id, way.look, sharing("bill")),
      ...kinds.map(([, wanted]) => {
        const sum = sumOf(bill, wanted);
        return cell(sum === null ? "no price" : amount(sum), way.look);
      }),
      cell(costText(bill, currency), way.look),
    ]),
  };
}

/** `at least` if a charge has no price. */
function costText({ totalCost, knownCost, charges }: Cost, currency: string): string {
  return totalCost !== null
    ? money(totalCost, currency)
    : charges.length === 0 || knownCost === 0
      ? "no price known"
      : `at least ${money(knownCost, currency)}`;
}

/** Cost of each way out in each compared region, and the region's pick. */
export function regionsTable(data: AnswerData, { needs }: Answer): ReportTable {
  const regions = data.compared.map((region) => ({ region, ...pricedIn(data, { ...needs, region }) }));
  return {
    head: headOf(["Way out", ...data.compared]),
    rows: [
      [cell("pick"), ...regions.map(({ pick }) => ({ ...cell(pick?.id ?? "none"), state: "pick" as const }))],
      ...data.ways.map((way) => [
        cell(way.id, way.look),
        ...regions.map(({ assessed }) =>
          cell(costText(assessed.find(({ id }) => id === way.id)?.bill ?? noBill, data.currency), way.look),
        ),
      ]),
    ],
  };
}

const noBill: Cost = { charges: [], knownCost: 0, totalCost: null, missing: [] };
