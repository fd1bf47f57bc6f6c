/** Makes changes on deployed components, against stand-ins that refuse what the clouds refuse. */
import type { Stack } from "@pulumi/pulumi/automation/index.js";
import { createAwsEngine } from "../aws-standin/engine.ts";
import type { Ec2Request } from "../aws-standin/fake-ec2.ts";
import { createAzureEngine } from "../azure-native-standin/engine.ts";
import type { ArmState } from "../azure-native-standin/fake-arm.ts";
import { awsComponents } from "./aws.ts";
import { awsPaths } from "./aws-paths.ts";
import { azureComponents } from "./azure.ts";
import { azurePaths } from "./azure-paths.ts";
import { type ChangedComponent, type Needs, observeChanges, type Step } from "./change.ts";

export interface Effect {
  readonly steps: readonly Step[];
  /** The requests between which the clients had no way out; undefined where they always had one. */
  readonly offline?: readonly [begun: string, ended: string] | undefined;
}

/** An argument's change and its effect, there and back. */
export interface Outcome extends Effect {
  readonly argument: string;
  /** The way back, or the working order where it is refused at preview. */
  readonly back: Effect | string;
  /** The same change once more, after the way back; undefined where that is refused. */
  readonly again: Effect | undefined;
}

/** A request that changed something in a cloud. */
type CloudRequest = Pick<Ec2Request, "action" | "kind" | "name" | "cut">;

/** Opens a stack of components, or changes its components. */
type Deploy = (cases: Cases) => Promise<Stack>;

interface Opened {
  readonly deploy: Deploy;
  readonly requests: () => readonly CloudRequest[];
  /** Whether a pair's machines move their routes themselves, which no stand-in does. */
  readonly pairsMoveRoutes: boolean;
  dispose(): void;
}

type Cases = Readonly<Record<string, { readonly component: never; readonly args: never }>>;

/**
 * Changes each argument of a component, each on its own component in one stack.
 *
 * @param only The arguments. @default all
 */
async function changesOf(
  { component, base, changes }: ChangedComponent,
  { deploy, requests, pairsMoveRoutes }: Opened,
  only?: readonly string[],
): Promise<Outcome[]> {
  const wanted = Object.entries(changes).flatMap(([argument, change], at) =>
    typeof change === "string" || "refused" in change || (only && !only.includes(argument))
      ? []
      : [{ argument, change, name: `c${String(at).padStart(2, "0")}` }],
  );
  const program = (when: (change: (typeof wanted)[number]["change"]) => object | undefined) =>
    Object.fromEntries(
      wanted.map(({ name, change }) => [name, { component, args: { ...base, ...when(change) } }]),
    ) as Cases;
  const first = program(({ from }) => from);
  const stack = await deploy(first);
  const pairsOf = (cases: Cases) =>
    Object.entries(cases).flatMap(([name, { args }]) =>
      pairsMoveRoutes && (args as { highAvailability?: unknown }).highAvailability ? [name] : [],
    );
  await stack.up();
  assertLed(requests(), pairsOf(first));
  const made = async (cases: Cases) => {
    const pairs = pairsOf(cases);
    const before = requests().length;
    await deploy(cases);
    const former = await needsOf(stack);
    const { onEvent, observed } = observeChanges(wanted.map(({ name }) => name));
    await stack.up({ onEvent });
    const steps = observed(new Map([...former, ...(await needsOf(stack))]));
    const all = requests();
    await stack.preview({ expectNoChanges: true });
    assertLed(all, pairs);
    return ({ name }: { readonly name: string }): Effect => ({
      steps: steps.get(name) ?? [],
      offline: pairs.includes(name) ? undefined : offlineOf(all, before, name),
    });
  };
  const there = await made(program(({ to }) => to));
  const back = await made(program((change) => (change.oneWay === undefined ? change.from : change.to)));
  const again = await made(program(({ to }) => to));
  await stack.destroy();
  return wanted.map((one) => ({
    argument: one.argument,
    ...there(one),
    back: one.change.oneWay ?? back(one),
    again: one.change.oneWay === undefined ? again(one) : undefined,
  }));
}

async function needsOf(stack: Stack): Promise<Needs> {
  const { deployment } = await stack.exportStack();
  const resources = deployment.resources as { readonly urn: string; readonly dependencies?: string[] }[];
  return new Map(resources.map(({ urn, dependencies = [] }) => [urn, dependencies]));
}

/** Whether a way out is the component's: a route's name begins with it, a subnet's contains it. */
const isOf = (way: string, name: string) => way.split("-").some((part) => part.startsWith(name));

/** The requests since an update's begin between which one of the component's earlier ways out led nowhere. */
function offlineOf(requests: readonly CloudRequest[], before: number, name: string): Effect["offline"] {
  const earlier = requests.slice(0, before);
  const cutBefore = earlier.at(-1)?.cut ?? [];
  const ways = new Set(
    earlier.flatMap(({ kind, name: way }) =>
      /^(Route|Subnet)$/.test(kind) && !cutBefore.includes(way) ? [way] : [],
    ),
  );
  const since = requests.slice(before);
  const cut = since.map((one) => one.cut?.some((way) => isOf(way, name) && ways.has(way)));
  const [begun, ended] = [cut.indexOf(true), cut.lastIndexOf(true) + 1];
  const label = (at: number) => `${since[at]?.action} ${since[at]?.kind}`;
  return begun < 0 ? undefined : [label(begun), label(ended)];
}

/** @throws {Error} for a way out that leads nowhere in the end. @param but Names of components that are not looked at. */
function assertLed(requests: readonly CloudRequest[], but: readonly string[]): void {
  const cut = requests.at(-1)?.cut?.find((way) => !but.some((name) => isOf(way, name)));
  if (cut !== undefined) {
    throw new Error(`${cut} leads nowhere`);
  }
}

/** Arguments by component title; an undefined list: all of them. */
type Only = Readonly<Record<string, readonly string[] | undefined>>;

export type Outcomes = ReadonlyMap<ChangedComponent, readonly Outcome[]>;

/** Changes of AWS's components. @param only @default all */
export function awsOutcomes(only?: Only): Promise<Outcomes> {
  return outcomesOf([...awsComponents, ...awsPaths], only, () => {
    const engine = createAwsEngine();
    const program = (cases: Cases) =>
      `import { deployAwsComponents } from "./tests/helpers/aws-standin/component-program.ts";\ndeployAwsComponents(${JSON.stringify(cases)});\n`;
    const { cloud, dispose } = engine;
    return {
      deploy: (cases) => engine.programStack(program(cases)),
      requests: () => cloud().requests,
      pairsMoveRoutes: true,
      dispose,
    };
  });
}

/** Changes of Azure's components. @param only @default all */
export function azureOutcomes(only?: Only): Promise<Outcomes> {
  return outcomesOf([...azureComponents, ...azurePaths], only, () => {
    const engine = createAzureEngine();
    const { cloud, eachStack: deploy, dispose } = engine;
    return { deploy, requests: () => armRequests(cloud()), pairsMoveRoutes: false, dispose };
  });
}

/** Concurrent clouds: more would wait for a processor longer than an engine waits for its plugins. */
const SIDE_BY_SIDE = 3;

/** Runs the components, some in parallel, each in its own cloud. */
async function outcomesOf(
  components: readonly ChangedComponent[],
  only: Only | undefined,
  open: () => Opened,
): Promise<Outcomes> {
  const wanted = components.filter(({ title }) => only === undefined || title in only);
  const made = new Map<ChangedComponent, readonly Outcome[]>();
  const waiting = [...wanted];
  const work = async () => {
    for (let component = waiting.shift(); component !== undefined; component = waiting.shift()) {
      const opened = open();
      try {
        made.set(component, await changesOf(component, opened, only?.[component.title]));
      } finally {
        opened.dispose();
      }
    }
  };
  await Promise.all(Array.from({ length: SIDE_BY_SIDE }, work));
  return new Map(wanted.map((component) => [component, made.get(component) ?? []]));
}

/** ARM's requests; it has one method for creating and updating. */
function armRequests({ requests }: ArmState): CloudRequest[] {
  const there = new Set<string>();
  return requests.map(({ method, type, id, cut = [] }) => {
    const action = method === "DELETE" ? "delete" : there.has(id) ? "update" : "create";
    there[action === "delete" ? "delete" : "add"](id);
    return { action, kind: type.split(":").at(-1) ?? "", name: id.split("/").at(-1) ?? "", cut };
  });
}
