/** Pulumi's ResourceProvider service on top of the fake EC2. */
import { randomBytes } from "node:crypto";
import { existsSync, readFileSync, writeFileSync } from "node:fs";
import { isDeepStrictEqual } from "node:util";
import type { UntypedServiceImplementation } from "@grpc/grpc-js";
import providerProto from "@pulumi/pulumi/proto/provider_pb.js";
import emptyProto from "google-protobuf/google/protobuf/empty_pb.js";
import type { PropertyChange } from "../../../tools/command-standin/shared/diff.ts";
import {
  type Properties,
  plain,
  plainProperties,
  UNKNOWN,
} from "../../../tools/command-standin/shared/envelopes.ts";
import {
  checkResponse,
  createResponse,
  diffResponse,
  failureMessage,
  pluginMethods,
  properties,
  struct,
  unary,
  updateResponse,
  urnParts,
} from "../../../tools/command-standin/shared/messages.ts";
import { meetFault } from "../cloud-faults.ts";
import { argumentProblems, inputProblems } from "./check-inputs.ts";
import { FakeEc2 } from "./fake-ec2.ts";
import { ruleProblems, rulesOf } from "./resource-rules.ts";
import { resourceDeclaration } from "./sdk-types.ts";

const VERSION = "7.48.0";

/**
 * @param file File of the cloud's state between two runs.
 * @param faults File of its faults.
 */
export function awsService(file: string, faults?: string): UntypedServiceImplementation {
  const ec2 = new FakeEc2(existsSync(file) ? JSON.parse(readFileSync(file, "utf8")) : undefined);
  const kept = <T>(urn: string, change: () => T): T => {
    const { type, name } = urnParts(urn);
    const requests = ec2.state.requests.length;
    meetFault(faults, { name, type: type.split(":").at(-1) as string, requests });
    const answer = change();
    writeFileSync(file, JSON.stringify(ec2.state));
    return answer;
  };
  return {
    ...pluginMethods("aws", VERSION),
    // Configuration that the stack and the operator's environment give the provider.
    configure: unary(async (request: providerProto.ConfigureRequest) => {
      const { AWS_ENDPOINT_URL = null } = process.env;
      const args = plainProperties(properties(request.getArgs()));
      writeFileSync(`${file}.configured`, JSON.stringify({ args, environment: { AWS_ENDPOINT_URL } }));
      const response = new providerProto.ConfigureResponse();
      response.setAcceptsecrets(true);
      response.setSupportspreview(true);
      return response;
    }),
    check: unary(async (request: providerProto.CheckRequest) => {
      const { type, name } = urnParts(request.getUrn());
      const inputs = withName(type, name, properties(request.getOlds()), properties(request.getNews()));
      const bare = plainProperties(inputs);
      const problems = [...inputProblems(type, bare), ...ruleProblems(type, bare)];
      return checkResponse(
        inputs,
        problems.map((reason) => ({ reason })),
      );
    }),
    diff: unary(async (request: providerProto.DiffRequest) => {
      const { type } = urnParts(request.getUrn());
      const news = properties(request.getNews());
      const changes = changesOf(type, properties(request.getOldInputs()), news);
      const drift = driftOf(ec2, news).filter((path) => !request.getIgnorechangesList().includes(path));
      return diffResponse(
        [...changes, ...drift.map((path) => ({ path, change: "update" as const, replaces: false }))],
        true,
      );
    }),
    create: unary(async (request: providerProto.CreateRequest) => {
      const { type, name } = urnParts(request.getUrn());
      const inputs = properties(request.getProperties());
      if (request.getPreview()) {
        return createResponse(previewed(type, inputs, {}));
      }
      const { id, outputs } = kept(request.getUrn(), () => ec2.create(type, name, plainProperties(inputs)));
      return createResponse({ ...outputs, ...secretsOf(inputs) }, id);
    }),
    // A refresh returns the cloud's present state; nothing for a missing resource.
    read: unary(async (request: providerProto.ReadRequest) => {
      const response = new providerProto.ReadResponse();
      const resource = ec2.state.resources[request.getId()];
      if (resource !== undefined) {
        const given = properties(request.getInputs());
        // An import has no inputs: all come from the cloud.
        const inputs =
          Object.keys(given).length === 0 ? resource.inputs : asTheCloudHas(given, resource.inputs);
        response.setId(resource.id);
        response.setInputs(struct(inputs));
        response.setProperties(struct({ ...resource.outputs, ...secretsOf(inputs) }));
      }
      return response;
    }),
    update: unary(async (request: providerProto.UpdateRequest) => {
      const { type, name } = urnParts(request.getUrn());
      const inputs = properties(request.getNews());
      const outputs = request.getPreview()
        ? previewed(type, inputs, properties(request.getOlds()))
        : kept(request.getUrn(), () => ec2.update(request.getId(), name, plainProperties(inputs)));
      return updateResponse({ ...outputs, ...secretsOf(inputs) });
    }),
    delete: unary(async (request: providerProto.DeleteRequest) => {
      kept(request.getUrn(), () => ec2.delete(request.getId(), urnParts(request.getUrn()).name));
      return new emptyProto.Empty();
    }),
    invoke: unary(async (request: providerProto.InvokeRequest) => {
      const args = plainProperties(properties(request.getArgs()));
      const problems = argumentProblems(request.getTok(), args);
      const response = new providerProto.InvokeResponse();
      response.setFailuresList(problems.map((reason) => failureMessage({ reason })));
      if (problems.length === 0) {
        response.setReturn(struct(ec2.call(request.getTok(), args)));
      }
      return response;
    }),
  };
}

/** Inputs with later changes by others; the provider has an empty text for removed ones. */
function asTheCloudHas(inputs: Properties, now: Properties): Properties {
  const entries = Object.entries(inputs).map(
    ([key, value]) => [key, isDeepStrictEqual(plain(value), now[key]) ? value : (now[key] ?? "")] as const,
  );
  return Object.fromEntries(entries);
}

/** Generates a missing name like the real provider, and keeps it for the resource's life. */
function withName(type: string, pulumiName: string, olds: Properties, news: Properties): Properties {
  if (!rulesOf(type).named) {
    return news;
  }
  return { ...news, name: news.name ?? olds.name ?? `${pulumiName}-${randomBytes(4).toString("hex")}` };
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

/** Keeps secret values secret. */
function secretsOf(inputs: Properties): Properties {
  return Object.fromEntries(
    Object.entries(inputs).filter(([, value]) => !isDeepStrictEqual(value, plain(value))),
  );
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

/** Changed inputs, each as a whole. */
function changesOf(type: string, olds: Properties, news: Properties): PropertyChange[] {
  const { forceNew } = rulesOf(type);
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
