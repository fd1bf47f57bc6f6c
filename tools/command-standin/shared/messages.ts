/** Answers of any provider's plugin to the engine, as gRPC messages of Pulumi's ResourceProvider service. */
import { type handleUnaryCall, status } from "@grpc/grpc-js";
import pluginProto from "@pulumi/pulumi/proto/plugin_pb.js";
import providerProto from "@pulumi/pulumi/proto/provider_pb.js";
import emptyProto from "google-protobuf/google/protobuf/empty_pb.js";
import structProto, { type Struct } from "google-protobuf/google/protobuf/struct_pb.js";
import type { PropertyChange } from "./diff.ts";
import type { Properties } from "./envelopes.ts";

/** A method that answers one message with one; the engine shows the error that it throws. */
export function unary<Request, Response>(
  handle: (request: Request) => Promise<Response>,
): handleUnaryCall<Request, Response> {
  return (call, callback) => {
    handle(call.request).then(
      (response) => callback(null, response),
      (error: Error) => callback({ code: status.UNKNOWN, details: error.message }),
    );
  };
}

/** Methods around the resources, for a plugin that accepts any configuration and has nothing to cancel. */
export function pluginMethods(name: string, version: string) {
  return {
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
      response.setVersion(version);
      return response;
    }),
    getSchema: unary(async () => {
      const response = new providerProto.GetSchemaResponse();
      response.setSchema(JSON.stringify({ name, version }));
      return response;
    }),
    cancel: unary(async () => new emptyProto.Empty()),
  };
}

/** A URN is `urn:pulumi:<stack>::<project>::<parent types>$<type>::<name>`. */
export function urnParts(urn: string): { type: string; name: string } {
  const [, , types = "", name = ""] = urn.split("::");
  return { type: types.split("$").at(-1) ?? "", name };
}

/** A message as plain values; {} for none. */
export function properties(message: Struct | undefined): Properties {
  return (message?.toJavaScript() ?? {}) as Properties;
}

export function struct(value: Properties): Struct {
  return structProto.Struct.fromJavaScript(value);
}

/** A refused input, with the reason. */
export interface InputFailure {
  /** The refused input's name. @default no single input */
  readonly property?: string;
  readonly reason: string;
}

/** The answer to Check: checked inputs, and their problems. */
export function checkResponse(
  inputs: Properties,
  failures: readonly InputFailure[],
): providerProto.CheckResponse {
  const response = new providerProto.CheckResponse();
  response.setInputs(struct(inputs));
  response.setFailuresList(failures.map(failureMessage));
  return response;
}

function failureMessage({ property, reason }: InputFailure): providerProto.CheckFailure {
  const message = new providerProto.CheckFailure();
  if (property !== undefined) message.setProperty(property);
  message.setReason(reason);
  return message;
}

/** The answer to Create. @param id Id of the resource. @default none yet, in a preview */
export function createResponse(state: Properties, id = ""): providerProto.CreateResponse {
  const response = new providerProto.CreateResponse();
  response.setId(id);
  response.setProperties(struct(state));
  return response;
}

export function updateResponse(state: Properties): providerProto.UpdateResponse {
  const response = new providerProto.UpdateResponse();
  response.setProperties(struct(state));
  return response;
}

/** The answer to Diff. @param inInputs Whether the paths are of inputs instead of the state. */
export function diffResponse(
  changes: readonly PropertyChange[],
  inInputs: boolean,
): providerProto.DiffResponse {
  const { DiffResponse, PropertyDiff } = providerProto;
  const { ADD, ADD_REPLACE, DELETE, DELETE_REPLACE, UPDATE, UPDATE_REPLACE } = PropertyDiff.Kind;
  const kinds = {
    add: [ADD, ADD_REPLACE],
    delete: [DELETE, DELETE_REPLACE],
    update: [UPDATE, UPDATE_REPLACE],
  } as const;
  const response = new DiffResponse();
  const { DIFF_SOME, DIFF_NONE } = DiffResponse.DiffChanges;
  response.setChanges(changes.length > 0 ? DIFF_SOME : DIFF_NONE);
  response.setDiffsList([...new Set(changes.map(({ path }) => path.split(/[.[]/)[0] as string))]);
  response.setReplacesList(changes.filter(({ replaces }) => replaces).map(({ path }) => path));
  response.setHasdetaileddiff(true);
  for (const { path, change, replaces } of changes) {
    const detail = new PropertyDiff();
    detail.setKind(kinds[change][replaces ? 1 : 0]);
    detail.setInputdiff(inInputs);
    response.getDetaileddiffMap().set(path, detail);
  }
  return response;
}
