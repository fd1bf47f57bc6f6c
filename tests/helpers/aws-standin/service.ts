/** The AWS provider on top of the fake EC2. */
import { writeFileSync } from "node:fs";
import { isDeepStrictEqual } from "node:util";
import type { UntypedServiceImplementation } from "@grpc/grpc-js";
import type { PropertyChange } from "../../../tools/command-standin/shared/diff.ts";
import {
  type Properties,
  plain,
  plainProperties,
  UNKNOWN,
} from "../../../tools/command-standin/shared/envelopes.ts";
import { cloudService, type FakeCloud, storedCloud } from "../cloud-service.ts";
import { argumentProblems, inputProblems } from "./check-inputs.ts";
import { type Ec2State, FakeEc2 } from "./fake-ec2.ts";
import { ruleProblems, rulesOf } from "./resource-rules.ts";
import { resourceDeclaration } from "./sdk-types.ts";

/**
 * @param file File of the cloud's state between two runs.
 * @param faults File of its faults.
 */
export function awsService(file: string, faults?: string): UntypedServiceImplementation {
  const ec2 = new FakeEc2(storedCloud<Ec2State>(file));
  const cloud: FakeCloud = {
    provider: ["aws", "7.48.0"],
    state: ec2.state,
    // Configuration that the stack and the operator's environment give the provider.
    configured(args) {
      const { AWS_ENDPOINT_URL = null } = process.env;
      writeFileSync(`${file}.configured`, JSON.stringify({ args, environment: { AWS_ENDPOINT_URL } }));
    },
    nameOf: (type) => (rulesOf(type).named ? ["name", "-"] : undefined),
    problems: (type, inputs) => [...inputProblems(type, inputs), ...ruleProblems(type, inputs)],
    changes: (type, olds, news, ignored) => [
      ...changesOf(type, olds, news),
      ...driftOf(ec2, news)
        .filter((path) => !ignored.includes(path))
        .map((path) => ({ path, change: "update" as const, replaces: false })),
    ],
    previewed,
    create: (type, name, inputs) => ec2.create(type, name, inputs),
    update: (id, name, type, inputs) => ec2.update(id, name, withKept(type, ec2.get(id).inputs, inputs)),
    delete: (id, name) => ec2.delete(id, name),
    outputs: (id) => ec2.get(id).outputs,
    imported: (id) => {
      const places = ec2.all("Route").map(({ id: own, inputs }) => ({
        own,
        place: `${inputs.routeTableId}_${inputs.destinationCidrBlock}`,
      }));
      return places.find(({ place }) => place === id)?.own ?? id;
    },
    // The provider has an empty text for an input that others removed; an import has all from the cloud.
    present: (given, now) =>
      Object.keys(given).length === 0
        ? now
        : Object.fromEntries(
            Object.entries(given).map(([key, value]) => [
              key,
              isDeepStrictEqual(plain(value), now[key]) ? value : (now[key] ?? ""),
            ]),
          ),
    call: (token, args) => {
      const problems = argumentProblems(token, args);
      if (problems.length > 0) {
        throw new Error(problems.join("\n"));
      }
      return ec2.call(token, args);
    },
  };
  return cloudService(cloud, file, faults);
}

/** Outputs without an input are unknown in a preview, unless the resource already has them. */
function previewed(type: string, inputs: Properties, state: Properties): Properties {
  const { anew } = rulesOf(type);
  const unknown = resourceDeclaration(type).outputs.map((name) => [
    name,
    anew.includes(name) ? UNKNOWN : (state[name] ?? UNKNOWN),
  ]);
  return { ...Object.fromEntries(unknown), ...inputs };
}

/**
 * Changes that the provider would revert: an instance's own default where its interface differs
 * (hashicorp/terraform-provider-aws#44768).
 */
function driftOf(ec2: FakeEc2, { primaryNetworkInterface }: Properties): string[] {
  const id = plainProperties((primaryNetworkInterface ?? {}) as Properties).networkInterfaceId;
  const checks = ec2.state.resources[String(id)]?.inputs.sourceDestCheck;
  return checks === false ? ["sourceDestCheck"] : [];
}

/** The inputs with the former values of those that the provider keeps where they go. */
function withKept(type: string, olds: Properties, news: Properties): Properties {
  const all = { ...news };
  const partsOf = (inputs: Properties, name: string) => (plain(inputs[name] ?? {}) ?? {}) as Properties;
  for (const [name, part] of rulesOf(type).kept) {
    const former = part === undefined ? olds[name] : partsOf(olds, name)[part];
    if (part === undefined && former !== undefined) {
      all[name] ??= former;
    } else if (part !== undefined && former !== undefined) {
      all[name] = { [part]: former, ...partsOf(all, name) };
    }
  }
  return all;
}

function changesOf(type: string, olds: Properties, given: Properties): PropertyChange[] {
  const { forceNew } = rulesOf(type);
  const news = withKept(type, olds, given);
  return [...new Set([...Object.keys(olds), ...Object.keys(news)])]
    .filter((key) => !isDeepStrictEqual(plain(olds[key] ?? null), plain(news[key] ?? null)))
    .map((path) => ({ path, change: "update", replaces: replaces(path, olds, news, forceNew) }));
}

/** Whether a change of an input, or of a part of it, replaces the resource. */
function replaces(path: string, olds: Properties, news: Properties, forceNew: readonly string[]): boolean {
  const at = (all: Properties, part: string) => ((plain(all[path] ?? {}) ?? {}) as Properties)[part] ?? null;
  const parts = forceNew.filter((one) => one.startsWith(`${path}.`)).map((one) => one.slice(path.length + 1));
  const appears = (olds[path] === undefined) !== (news[path] === undefined);
  return (
    (forceNew.includes(`${path}?`) && appears) ||
    forceNew.includes(path) ||
    parts.some((part) => !isDeepStrictEqual(at(olds, part), at(news, part)))
  );
}
