import type { UntypedServiceImplementation } from "@grpc/grpc-js";
import providerProto from "@pulumi/pulumi/proto/provider_pb.js";
import emptyProto from "google-protobuf/google/protobuf/empty_pb.js";
import type { Operations, Resource } from "./operations.ts";
import { diffInputs, withIgnoredChanges } from "./shared/diff.ts";
import {
  checkResponse,
  createResponse,
  diffResponse,
  pluginMethods,
  properties,
  unary,
  updateResponse,
  urnParts,
} from "./shared/messages.ts";

/** Version of the real plugin that this one stands in for. */
const PLUGIN_VERSION = "1.2.1";

/** Gives the resource of a type token, loading its code on first use. */
export type ResourceLookup = (type: string) => Promise<Resource>;

/** The methods of Pulumi's ResourceProvider service that a plugin without configuration needs. */
export function providerService(
  lookup: ResourceLookup,
  operations: Operations,
): UntypedServiceImplementation {
  const resourceOf = (urn: string) => lookup(urnParts(urn).type);
  return {
    ...pluginMethods("command", PLUGIN_VERSION),
    check: unary(async (request: providerProto.CheckRequest) => {
      const resource = await resourceOf(request.getUrn());
      const { inputs, failures } = resource.check(properties(request.getNews()));
      return checkResponse(inputs, failures);
    }),
    diff: unary(diff),
    create: unary(async (request: providerProto.CreateRequest) => {
      const resource = await resourceOf(request.getUrn());
      const inputs = properties(request.getProperties());
      if (request.getPreview()) {
        return createResponse(resource.previewCreate(inputs));
      }
      const created = await operations.run(request.getUrn(), request.getTimeout(), (operation) =>
        resource.create(operation, inputs),
      );
      return createResponse(created.outputs, created.id);
    }),
    update: unary(async (request: providerProto.UpdateRequest) => {
      const resource = await resourceOf(request.getUrn());
      const state = properties(request.getOlds());
      const news = properties(request.getNews());
      const inputs = withIgnoredChanges(state, news, request.getIgnorechangesList());
      if (request.getPreview()) {
        return updateResponse(resource.previewUpdate(state, inputs));
      }
      const outputs = await operations.run(request.getUrn(), request.getTimeout(), (operation) =>
        resource.update(operation, state, inputs),
      );
      return updateResponse(outputs);
    }),
    delete: unary(async (request: providerProto.DeleteRequest) => {
      const resource = await resourceOf(request.getUrn());
      await operations.run(request.getUrn(), request.getTimeout(), (operation) =>
        resource.delete(operation, properties(request.getProperties())),
      );
      return new emptyProto.Empty();
    }),
    read: unary(async (request: providerProto.ReadRequest) => {
      const response = new providerProto.ReadResponse();
      response.setId(request.getId());
      response.setProperties(request.getProperties());
      response.setInputs(request.getInputs());
      return response;
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

async function diff(request: providerProto.DiffRequest) {
  const state = properties(request.getOlds());
  const news = properties(request.getNews());
  const wanted = withIgnoredChanges(state, news, request.getIgnorechangesList());
  return diffResponse(diffInputs(properties(request.getOldInputs()), wanted), false);
}
