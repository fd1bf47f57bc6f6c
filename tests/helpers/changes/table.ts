/** Describes a change's effect: the steps in their order, and the outage. */
import type { ChangedComponent, Step } from "./change.ts";
import type { Effect, Outcome, Outcomes } from "./run.ts";

const machines = /^(Instance|VirtualMachine)$/;
/** Resources with one machine each, as in a self-healing group. */
const replaced = /^(Instance|VirtualMachine|Group)$/;
const waits = /^(Command|Association|VirtualMachineRunCommandByVirtualMachine)$/;
const addresses = /^(Eip|PublicIPAddress|PublicIPPrefix)$/;
const gateways = /^(NatGateway|LoadBalancer|AzureFirewall|VirtualNetworkGateway)$/;
const links = /^(VirtualNetworkPeering|VirtualNetworkGatewayConnection|VpcPeeringConnection)$/;
/** Whether traffic through a private network's gateway or link is interrupted. */
const cutsLink = ({ type, op, inputs }: Step) =>
  /^VirtualNetworkGateway(Connection)?$/.test(type) &&
  op === "update" &&
  inputs.some((one) => one !== "tags");
/** Inputs whose change stops and starts a machine. */
const restarting = ["instanceType", "hardwareProfile"];

/** Number of the pair's machine, from its resources' names; none of a single machine. Azure's first has the single one's name. */
function machineOf({ name }: Step, all: readonly Step[]): string {
  const number = /^nat-([12])(-|$)/.exec(name)?.[1];
  const isFirst = /^nat(-|$)/.test(name) && all.some((other) => /^nat-2(-|$)/.test(other.name));
  return number ?? (isFirst ? "1" : "");
}

const interrupts = ({ type, op, inputs }: Step) =>
  machines.test(type) &&
  (op === "replace" || (op === "update" && restarting.some((one) => inputs.includes(one))));

/** Whether both machines of a pair are down at a time: the second changes before the first is known to be back. */
export function takesPairDown(steps: readonly Step[]): boolean {
  const [first, second] = ["1", "2"].map((number) =>
    steps.find((step) => interrupts(step) && machineOf(step, steps) === number),
  );
  if (first === undefined || second === undefined) {
    return false;
  }
  const [early, late] = first.begun < second.begun ? [first, second] : [second, first];
  return !steps.some(
    (step) =>
      waits.test(step.type) && machineOf(step, steps) === machineOf(early, steps) && step.ended < late.begun,
  );
}

/** Whether a new machine is known to be set up before its clients' address points to it. */
function isReadyFirst(steps: readonly Step[]): boolean {
  const moved = steps.find(({ type, op }) => type === "EipAssociation" && /^(replace|create)$/.test(op));
  return steps.some(
    ({ type, name, op, ended }) =>
      waits.test(type) && name.endsWith("-ready") && op !== "delete" && ended < (moved?.begun ?? 0),
  );
}

/**
 * The interrupted traffic, and the duration.
 * @throws {Error} where it says none, and the clients had no way out.
 */
function outageOf(effect: Effect, isPair: boolean): string {
  const said = interruptedBy(effect, isPair);
  if (effect.offline === undefined) {
    return said;
  }
  const [begun, ended] = effect.offline;
  if (said === "none") {
    throw new Error(`nobody would be cut off, but no route leads out from ${begun} to ${ended}`);
  }
  return `${said}; no way out from ${begun} to ${ended}`;
}

function interruptedBy({ steps }: Effect, isPair: boolean): string {
  const has = (type: RegExp, ...ops: Step["op"][]) =>
    steps.some((step) => type.test(step.type) && ops.includes(step.op));
  const moved = has(/^NetworkInterface$/, "replace") && isPair;
  const touched = steps.filter(interrupts);
  const others =
    has(addresses, "delete", "replace") ||
    (has(/^EipAssociation$/, "replace", "delete") && has(addresses, "create"))
      ? "; other public addresses"
      : "";
  if (isPair && touched.length > 0) {
    const both = takesPairDown(steps) ? "both machines at once" : "one machine after the other";
    return `${both}${moved ? "; sessions end, since the addresses of the two change" : ""}${others}`;
  }
  const renewed = steps.filter(({ type, op }) => replaced.test(type) && op === "replace");
  const goesFirst = renewed.some(({ deletedFirst }) => deletedFirst);
  const another = has(replaced, "create") && has(replaced, "delete");
  const reason = goesFirst
    ? "until the new machine is set up"
    : (renewed.length > 0 || another) && !isReadyFirst(steps)
      ? "while the new machine sets itself up"
      : touched.some(({ op }) => op === "update")
        ? "while the machine restarts"
        : has(/^(Group|LaunchTemplate)$/, "update")
          ? "until the group has another machine"
          : has(links, "replace") || steps.some((one) => gateways.test(one.type) && one.deletedFirst)
            ? "until the new one is there"
            : (has(gateways, "delete") && has(gateways, "create")) || has(gateways, "replace")
              ? "connections end"
              : touched.length > 0 ||
                  has(/^(Route|EipAssociation)$/, "update", "replace") ||
                  others !== "" ||
                  steps.some(cutsLink)
                ? "connections end"
                : "none";
  return `${reason}${others}`;
}

/** Whether a running machine is set up again. */
const setsUp = (step: Step, all: readonly Step[]) =>
  waits.test(step.type) &&
  step.name.endsWith("-set-up") &&
  !all.some(
    (other) =>
      machines.test(other.type) && `${other.name.replace(/-(machine|renewed)$/, "")}-set-up` === step.name,
  );

/** The steps, without those that only wait or store a value in the state. */
function stepsOf({ steps }: Effect): string {
  const shown = steps.filter(
    (step) => setsUp(step, steps) || (!waits.test(step.type) && step.type !== "Stash"),
  );
  const parts = shown.map((step) => {
    const own = machineOf(step, steps);
    const number = own && ` ${own}`;
    const newFirst = step.op === "replace" && !step.deletedFirst ? " (the new one first)" : "";
    return setsUp(step, steps)
      ? (["set up again:", `machine${number}`] as const)
      : ([step.op, `${step.type}${replaced.test(step.type) ? `${number}${newFirst}` : ""}`] as const);
  });
  const grouped: [string, string[]][] = [];
  for (const [op, what] of parts) {
    const last = grouped.at(-1);
    if (last?.[0] === op) {
      if (!last[1].includes(what)) last[1].push(what);
    } else {
      grouped.push([op, [what]]);
    }
  }
  return grouped.map(([op, what]) => `${op} ${what.join(", ")}`).join("; ") || "nothing";
}

function tableOf({ title, base, changes }: ChangedComponent, outcomes: readonly Outcome[]): string {
  const rows = Object.entries(changes).flatMap(([argument, change]) => {
    if (typeof change !== "string" && "refused" in change) {
      return [`| \`${argument}\` | refused at preview; instead: ${change.refused} | none | |`];
    }
    return outcomes
      .filter((one) => one.argument === argument)
      .flatMap((one) => rowsOf(one, "highAvailability" in base).map((row) => `| ${row.join(" | ")} |`));
  });
  return [
    `### ${title}`,
    "",
    "| argument | steps, in order | who is cut off, and how long | and by the way back |",
    "|---|---|---|---|",
    ...rows,
  ].join("\n");
}

/** The cells for a change, and for the same change once more where its effect is another then. */
export function rowsOf(outcome: Outcome, isPair: boolean): string[][] {
  const { argument, back, again = outcome } = outcome;
  const outage = outageOf(outcome, isPair);
  const wayBack = typeof back === "string" ? `refused at preview; instead: ${back}` : outageOf(back, isPair);
  // Addresses that an update took away come back as others, or go again.
  const others =
    [outage, wayBack].map((one) => one.includes("other public addresses")).join() === "true,false";
  const changed = `${wayBack === "none" ? "connections end" : wayBack}; other public addresses`;
  const effect = (one: Effect) => [stepsOf(one), outageOf(one, isPair)];
  const row = [`\`${argument}\``, ...effect(outcome), others ? changed : wayBack];
  const second = [`\`${argument}\`, set again`, ...effect(again), ""];
  const [once, twice] = [outcome, again].map((one) => effect(one).join());
  return once === twice ? [row] : [row, second];
}

const intro = `# Changes on a live stack

<!-- Made by npm run bench -- changes. Do not edit. -->

What a change of one argument does to a component that is deployed: what is updated in place, what is replaced, and who is cut off.
Made by changing each argument with the real Pulumi engine, and back, against stand-ins that refuse what the clouds refuse: none of these
changes is refused by a cloud, and a preview after each has nothing to do. "No way out": from the first of these requests to the second a
private route of AWS, or a clients' subnet of Azure, led to no machine, gateway or load balancer with an address. "Set again": the same change
after the way back, where its effect is another then, as Azure gives an interface another address. A pair's second machine is changed only
once the first carries its clients or stands by again. "Set up again" runs the set-up on the running machine, whose sessions stay.

Not proved: that the real providers replace what their schemas say, and how long a machine takes to boot.
<!-- source: npm run bench -- changes, tests/engine/changes.test.ts, tests/lab/nat-instance/setup-script.test.ts -->`;

/** Exported components without a table, with the reason. */
export const withoutTable = `## Without a table

\`SshKeyPair\` keeps its key for life. \`ExistingHost\` and \`BenchmarkRun\` make nothing in a cloud: what is measured again is in
[plans](../plans.md). \`DefaultSnat\` makes nothing at all. The components of \`egress-bench/local\` make hosts on the machine itself.`;

export function changesPage(clouds: Readonly<Record<string, Outcomes>>): string {
  const parts = Object.entries(clouds).flatMap(([cloud, outcomes]) => [
    `## ${cloud}`,
    ...[...outcomes].map(([component, all]) => tableOf(component, all)),
  ]);
  return `${[intro, ...parts, withoutTable].join("\n\n")}\n`;
}
