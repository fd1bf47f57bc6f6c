/** Makes changes on deployed components, against stand-ins that refuse what the clouds refuse. */
import type { Stack } from "@pulumi/pulumi/automation/index.js";
import { createAwsEngine } from "../aws-standin/engine.ts";
import type { Ec2Request, Ec2State } from "../aws-standin/fake-ec2.ts";
import { createAzureEngine } from "../azure-native-standin/engine.ts";
import { type ArmState, FakeArm } from "../azure-native-standin/fake-arm.ts";
import { awsComponents } from "./aws.ts";
import { awsPaths } from "./aws-paths.ts";
import { azureComponents } from "./azure.ts";
import { azurePaths } from "./azure-paths.ts";
import { type ChangedComponent, observeChanges, type Step } from "./change.ts";

/** The effect of a change. */
export interface Effect {
  /** In the order of their start. */
  readonly steps: readonly Step[];
  /** The requests between which the clients had no way out; undefined where they always had one, and on Azure. */
  readonly offline?: readonly [begun: string, ended: string] | undefined;
}

/** An argument's change and its effect, there and back. */
export interface Outcome extends Effect {
  readonly argument: string;
  /** The way back, or the working order where it is refused at preview. */
  readonly back: Effect | string;
}

/** Opens a stack of components, or changes its components. */
type Deploy = (cases: Cases) => Promise<Stack>;

/** A cloud of one's own. */
interface Opened {
  readonly deploy: Deploy;
  /** @throws {Error} for a route that leads nowhere. @param pairs Names of pairs, whose machines move their routes themselves. */
  readonly assertLed: (pairs: readonly string[]) => void;
  /** The cloud's requests; none where the stand-in knows no ways out. */
  readonly requests: () => readonly Ec2Request[];
  dispose(): void;
}

/** Components and their arguments, by name. */
type Cases = Readonly<Record<string, { readonly component: never; readonly args: never }>>;

/**
 * Changes each argument of a component, each on its own component in one stack.
 *
 * @param only The arguments. @default all
 */
async function changesOf(
  { component, base, changes }: ChangedComponent,
  { deploy, assertLed, requests }: Opened,
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
  const stack = await deploy(program(({ from }) => from));
  await stack.up();
  const made = async (cases: Cases) => {
    const pairs = Object.entries(cases)
      .filter(([, { args }]) => (args as { highAvailability?: unknown }).highAvailability)
      .map(([name]) => name);
    const before = requests().length;
    await deploy(cases);
    const { onEvent, observed } = observeChanges(wanted.map(({ name }) => name));
    await stack.up({ onEvent });
    const steps = observed();
    const all = requests();
    await stack.preview({ expectNoChanges: true });
    assertLed(pairs);
    return ({ name }: { readonly name: string }): Effect => ({
      steps: steps.get(name) ?? [],
      offline: pairs.includes(name) ? undefined : offlineOf(all, before, name),
    });
  };
  const there = await made(program(({ to }) => to));
  const back = await made(program((change) => (change.oneWay === undefined ? change.from : change.to)));
  await stack.destroy();
  return wanted.map((one) => ({
    argument: one.argument,
    ...there(one),
    back: one.change.oneWay ?? back(one),
  }));
}

/** The requests since an update's begin between which one of the component's earlier routes led nowhere. */
function offlineOf(requests: readonly Ec2Request[], before: number, name: string): Effect["offline"] {
  const routes = new Set(
    requests.slice(0, before).flatMap(({ kind, name: route }) => (kind === "Route" ? [route] : [])),
  );
  const since = requests.slice(before);
  const cut = since.map((one) => one.cut?.some((route) => route.startsWith(`${name}-`) && routes.has(route)));
  const [begun, ended] = [cut.indexOf(true), cut.lastIndexOf(true) + 1];
  const label = (at: number) => `${since[at]?.action} ${since[at]?.kind}`;
  return begun < 0 ? undefined : [label(begun), label(ended)];
}

/** Arguments by component title; an undefined list: all of them. */
type Only = Readonly<Record<string, readonly string[] | undefined>>;

/** Effects of changes, by component. */
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
      assertLed: (pairs) => assertAwsLed(cloud(), pairs),
      requests: () => cloud().requests,
      dispose,
    };
  });
}

/** Changes of Azure's components. @param only @default all */
export function azureOutcomes(only?: Only): Promise<Outcomes> {
  return outcomesOf([...azureComponents, ...azurePaths], only, () => {
    const engine = createAzureEngine();
    const { cloud, eachStack: deploy, dispose } = engine;
    return { deploy, assertLed: () => assertAzureLed(cloud()), requests: () => [], dispose };
  });
}

/** Concurrent clouds: more would wait for a processor longer than an engine waits for its plugins. */
const SIDE_BY_SIDE = 4;

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

/** @throws {Error} for a route that leads nowhere. @param pairs Names of pairs, whose machines move their routes themselves. */
function assertAwsLed({ requests }: Ec2State, pairs: readonly string[]): void {
  for (const route of requests.at(-1)?.cut ?? []) {
    if (!pairs.some((pair) => route.startsWith(`${pair}-`))) throw new Error(`route ${route} leads nowhere`);
  }
}

/** @throws {Error} for a next hop that is not a private address of an interface, a load balancer or a firewall. */
function assertAzureLed(state: ArmState): void {
  const arm = new FakeArm(state);
  const all = Object.values(state.resources);
  const there = all
    .filter(({ type }) => /:(NetworkInterface|LoadBalancer|AzureFirewall)$/.test(type))
    .flatMap(({ id }) => JSON.stringify(arm.outputs(id)).match(/(?<="privateIPAddress":")[^"]+/g) ?? []);
  for (const { id, inputs } of all.filter(({ type }) => type.endsWith(":RouteTable"))) {
    for (const { nextHopIpAddress } of (inputs.routes ?? []) as { nextHopIpAddress?: string }[]) {
      if (nextHopIpAddress !== undefined && !there.includes(nextHopIpAddress)) {
        throw new Error(`${id} leads to ${nextHopIpAddress}, which is nobody's`);
      }
    }
  }
}
