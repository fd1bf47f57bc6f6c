/**
 * Pulumi's ResourceProvider service around the fake EC2.
 *
 * @module
 */
import { randomBytes } from "node:crypto";
import { existsSync, readFileSync, writeFileSync } from "node:fs";
import { isDeepStrictEqual } from "node:util";
import { type handleUnaryCall, status, type UntypedServiceImplementation } from "@grpc/grpc-js";
import pluginProto from "@pulumi/pulumi/proto/plugin_pb.js";
import providerProto from "@pulumi/pulumi/proto/provider_pb.js";
import emptyProto from "google-protobuf/google/protobuf/empty_pb.js";
import structProto, { type Struct } from "google-protobuf/google/protobuf/struct_pb.js";
import {
  type Properties,
  plain,
  plainProperties,
  UNKNOWN,
} from "../../../plugins/command-standin/envelopes.ts";
import { argumentProblems, inputProblems } from "./check-inputs.ts";
import { FakeEc2 } from "./fake-ec2.ts";
import { ruleProblems, rulesOf } from "./resource-rules.ts";
import { resourceDeclaration } from "./sdk-types.ts";

const VERSION = "7.48.0";

/** @param file Where the cloud is kept between two runs. */
export function awsService(file: string): UntypedServiceImplementation {
  const ec2 = new FakeEc2(existsSync(file) ? JSON.parse(readFileSync(file, "utf8")) : undefined);
  const kept = <T>(change: () => T): T => {
    const answer = change();
    writeFileSync(file, JSON.stringify(ec2.state));
    return answer;
  };
  return {
    ...pluginMethods,
    check: unary(async (request: providerProto.CheckRequest) => {
      const { type, name } = urnParts(request.getUrn());
      const inputs = withName(type, name, properties(request.getOlds()), properties(request.getNews()));
      const bare = plainProperties(inputs);
      const problems = [...inputProblems(type, bare), ...ruleProblems(type, bare)];
      const response = new providerProto.CheckResponse();
      response.setInputs(struct(inputs));
      response.setFailuresList(problems.map(failure));
      return response;
    }),
    diff: unary(async (request: providerProto.DiffRequest) =>
      diffResponse(
        urnParts(request.getUrn()).type,
        properties(request.getOldInputs()),
        properties(request.getNews()),
      ),
    ),
    create: unary(async (request: providerProto.CreateRequest) => {
      const { type, name } = urnParts(request.getUrn());
      const inputs = properties(request.getProperties());
      const response = new providerProto.CreateResponse();
      if (request.getPreview()) {
        response.setProperties(struct(previewed(type, inputs, {})));
        return response;
      }
      const { id, outputs } = kept(() => ec2.create(type, name, plainProperties(inputs)));
      response.setId(id);
      response.setProperties(struct({ ...outputs, ...secretsOf(inputs) }));
      return response;
    }),
    // A refresh: what the cloud has, in place of what the state says; nothing where it has nothing.
    read: unary(async (request: providerProto.ReadRequest) => {
      const response = new providerProto.ReadResponse();
      const resource = ec2.state.resources[request.getId()];
      if (resource !== undefined) {
        const inputs = properties(request.getInputs());
        response.setId(resource.id);
        response.setInputs(struct(inputs));
        response.setProperties(struct({ ...resource.outputs, ...secretsOf(inputs) }));
      }
      return response;
    }),
    update: unary(async (request: providerProto.UpdateRequest) => {
      const { type, name } = urnParts(request.getUrn());
      const inputs = properties(request.getNews());
      const response = new providerProto.UpdateResponse();
      const outputs = request.getPreview()
        ? previewed(type, inputs, properties(request.getOlds()))
        : kept(() => ec2.update(request.getId(), name, plainProperties(inputs)));
      response.setProperties(struct({ ...outputs, ...secretsOf(inputs) }));
      return response;
    }),
    delete: unary(async (request: providerProto.DeleteRequest) => {
      kept(() => ec2.delete(request.getId(), urnParts(request.getUrn()).name));
      return new emptyProto.Empty();
    }),
    invoke: unary(async (request: providerProto.InvokeRequest) => {
      const args = plainProperties(properties(request.getArgs()));
      const problems = argumentProblems(request.getTok(), args);
      const response = new providerProto.InvokeResponse();
      response.setFailuresList(problems.map(failure));
      if (problems.length === 0) {
        response.setReturn(struct(ec2.call(request.getTok(), args)));
      }
      return response;
    }),
  };
}

const pluginMethods = {
  checkConfig: unary(async (request: providerProto.CheckRequest) => {
    const response = new providerProto.CheckResponse();
    response.setInputs(request.getNews());
    return response;
  }),
  diffConfig: unary(async () => new providerProto.DiffResponse()),
  configure: unary(async () => {
    const response = new providerProto.ConfigureResponse();
    response.setAcceptsecrets(true);
    response.setSupportspreview(true);
    return response;
  }),
  getPluginInfo: unary(async () => {
    const response = new pluginProto.PluginInfo();
    response.setVersion(VERSION);
    return response;
  }),
  getSchema: unary(async () => {
    const response = new providerProto.GetSchemaResponse();
    response.setSchema(JSON.stringify({ name: "aws", version: VERSION }));
    return response;
  }),
  cancel: unary(async () => new emptyProto.Empty()),
};

function unary<Request, Response>(
  handle: (request: Request) => Promise<Response>,
): handleUnaryCall<Request, Response> {
  return (call, callback) => {
    handle(call.request).then(
      (response) => callback(null, response),
      (error: Error) => callback({ code: status.UNKNOWN, details: error.message }),
    );
  };
}

function urnParts(urn: string): { type: string; name: string } {
  const [, , types = "", name = ""] = urn.split("::");
  return { type: types.split("$").at(-1) ?? "", name };
}

function properties(message: Struct | undefined): Properties {
  return (message?.toJavaScript() ?? {}) as Properties;
}

function struct(value: Properties): Struct {
  return structProto.Struct.fromJavaScript(value);
}

function failure(reason: string): providerProto.CheckFailure {
  const made = new providerProto.CheckFailure();
  made.setReason(reason);
  return made;
}

/** Makes up a name where none is given, as the real provider does, and keeps it for the resource's life. */
function withName(type: string, pulumiName: string, olds: Properties, news: Properties): Properties {
  if (!rulesOf(type).named) {
    return news;
  }
  return { ...news, name: news.name ?? olds.name ?? `${pulumiName}-${randomBytes(4).toString("hex")}` };
}

/** Outputs that no input tells are not known in a preview, unless the resource has them already. */
function previewed(type: string, inputs: Properties, state: Properties): Properties {
  const { anew = [] } = rulesOf(type);
  const unknown = resourceDeclaration(type).outputs.map((name) => [
    name,
    anew.includes(name) ? UNKNOWN : (state[name] ?? UNKNOWN),
  ]);
  return { ...Object.fromEntries(unknown), ...inputs };
}

/** What was secret stays so. */
function secretsOf(inputs: Properties): Properties {
  return Object.fromEntries(
    Object.entries(inputs).filter(([, value]) => !isDeepStrictEqual(value, plain(value))),
  );
}

function diffResponse(type: string, olds: Properties, news: Properties): providerProto.DiffResponse {
  const { DiffResponse, PropertyDiff } = providerProto;
  const { forceNew } = rulesOf(type);
  const changed = [...new Set([...Object.keys(olds), ...Object.keys(news)])].filter(
    (key) => !isDeepStrictEqual(plain(olds[key] ?? null), plain(news[key] ?? null)),
  );
  const response = new DiffResponse();
  response.setChanges(
    changed.length > 0 ? DiffResponse.DiffChanges.DIFF_SOME : DiffResponse.DiffChanges.DIFF_NONE,
  );
  response.setDiffsList(changed);
  response.setReplacesList(changed.filter((key) => forceNew.includes(key)));
  response.setHasdetaileddiff(true);
  for (const key of changed) {
    const detail = new PropertyDiff();
    detail.setKind(forceNew.includes(key) ? PropertyDiff.Kind.UPDATE_REPLACE : PropertyDiff.Kind.UPDATE);
    detail.setInputdiff(true);
    response.getDetaileddiffMap().set(key, detail);
  }
  return response;
}
