import { type handleUnaryCall, status, type UntypedServiceImplementation } from "@grpc/grpc-js";
import pluginProto from "@pulumi/pulumi/proto/plugin_pb.js";
import providerProto from "@pulumi/pulumi/proto/provider_pb.js";
import emptyProto from "google-protobuf/google/protobuf/empty_pb.js";
import structProto, { type Struct } from "google-protobuf/google/protobuf/struct_pb.js";
import { diffInputs, type PropertyChange, withIgnoredChanges } from "./diff.ts";
import type { Properties } from "./envelopes.ts";
import type { Resource } from "./operation.ts";
import type { Operations } from "./operations.ts";

/** The version of the real plugin that this one stands in for. */
export const PLUGIN_VERSION = "1.2.1";

/** Gives the resource of a type token, loading what it needs on its first use. */
export type ResourceLookup = (type: string) => Promise<Resource>;

/** The methods of Pulumi's ResourceProvider service that a plugin without configuration needs. */
export function providerService(
  lookup: ResourceLookup,
  operations: Operations,
): UntypedServiceImplementation {
  const resourceOf = (urn: string) => lookup(typeOf(urn));
  return {
    checkConfig: unary(async (request: providerProto.CheckRequest) => {
      const response = new providerProto.CheckResponse();
      response.setInputs(request.getNews());
      return response;
    }),
    configure: unary(async () => {
      const response = new providerProto.ConfigureResponse();
      response.setAcceptsecrets(true);
      response.setSupportspreview(true);
      return response;
    }),
    getPluginInfo: unary(async () => {
      const response = new pluginProto.PluginInfo();
      response.setVersion(PLUGIN_VERSION);
      return response;
    }),
    getSchema: unary(async () => {
      const response = new providerProto.GetSchemaResponse();
      response.setSchema(JSON.stringify({ name: "command", version: PLUGIN_VERSION }));
      return response;
    }),
    check: unary(async (request: providerProto.CheckRequest) => {
      const resource = await resourceOf(request.getUrn());
      const { inputs, failures } = resource.check(properties(request.getNews()));
      const response = new providerProto.CheckResponse();
      response.setInputs(struct(inputs));
      for (const { property, reason } of failures) {
        const failure = new providerProto.CheckFailure();
        failure.setProperty(property);
        failure.setReason(reason);
        response.addFailures(failure);
      }
      return response;
    }),
    diff: unary(async (request: providerProto.DiffRequest) => {
      const state = properties(request.getOlds());
      const news = properties(request.getNews());
      return diffResponse(
        diffInputs(
          properties(request.getOldInputs()),
          withIgnoredChanges(state, news, request.getIgnorechangesList()),
        ),
      );
    }),
    create: unary(async (request: providerProto.CreateRequest) => {
      const resource = await resourceOf(request.getUrn());
      const inputs = properties(request.getProperties());
      const response = new providerProto.CreateResponse();
      if (request.getPreview()) {
        response.setProperties(struct(resource.previewCreate(inputs)));
        return response;
      }
      const created = await operations.run(request.getUrn(), request.getTimeout(), (operation) =>
        resource.create(operation, inputs),
      );
      response.setId(created.id);
      response.setProperties(struct(created.outputs));
      return response;
    }),
    read: unary(async (request: providerProto.ReadRequest) => {
      const response = new providerProto.ReadResponse();
      response.setId(request.getId());
      response.setProperties(request.getProperties());
      response.setInputs(request.getInputs());
      return response;
    }),
    update: unary(async (request: providerProto.UpdateRequest) => {
      const resource = await resourceOf(request.getUrn());
      const state = properties(request.getOlds());
      const news = properties(request.getNews());
      const inputs = withIgnoredChanges(state, news, request.getIgnorechangesList());
      const response = new providerProto.UpdateResponse();
      if (request.getPreview()) {
        response.setProperties(struct(resource.previewUpdate(state, inputs)));
        return response;
      }
      const outputs = await operations.run(request.getUrn(), request.getTimeout(), (operation) =>
        resource.update(operation, state, inputs),
      );
      response.setProperties(struct(outputs));
      return response;
    }),
    delete: unary(async (request: providerProto.DeleteRequest) => {
      const resource = await resourceOf(request.getUrn());
      await operations.run(request.getUrn(), request.getTimeout(), (operation) =>
        resource.delete(operation, properties(request.getProperties())),
      );
      return new emptyProto.Empty();
    }),
    invoke: unary(async (request: providerProto.InvokeRequest) => {
      throw new Error(
        `${request.getTok()}: the offline stand-in of the command plugin does not have this function`,
      );
    }),
    cancel: unary(async () => {
      operations.cancelAll();
      return new emptyProto.Empty();
    }),
  };
}

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

// A URN is urn:pulumi:<stack>::<project>::<parent types>$<type>::<name>.
function typeOf(urn: string): string {
  return urn.split("::")[2]?.split("$").at(-1) ?? "";
}

function properties(message: Struct | undefined): Properties {
  return (message?.toJavaScript() ?? {}) as Properties;
}

function struct(value: Properties): Struct {
  return structProto.Struct.fromJavaScript(value);
}

function diffResponse(changes: readonly PropertyChange[]): providerProto.DiffResponse {
  const { DiffResponse, PropertyDiff } = providerProto;
  const response = new DiffResponse();
  response.setChanges(
    changes.length > 0 ? DiffResponse.DiffChanges.DIFF_SOME : DiffResponse.DiffChanges.DIFF_NONE,
  );
  response.setDiffsList([...new Set(changes.map(({ property }) => property))]);
  response.setReplacesList(changes.filter(({ replaces }) => replaces).map(({ path }) => path));
  response.setHasdetaileddiff(true);
  const { ADD, ADD_REPLACE, DELETE, DELETE_REPLACE, UPDATE, UPDATE_REPLACE } = PropertyDiff.Kind;
  const kinds = {
    add: [ADD, ADD_REPLACE],
    delete: [DELETE, DELETE_REPLACE],
    update: [UPDATE, UPDATE_REPLACE],
  } as const;
  for (const { path, change, replaces } of changes) {
    const detail = new PropertyDiff();
    detail.setKind(kinds[change][replaces ? 1 : 0]);
    response.getDetaileddiffMap().set(path, detail);
  }
  return response;
}
