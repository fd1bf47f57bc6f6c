/**
 * Pulumi's ResourceProvider service around the stand-in.
 *
 * @module
 */
import { existsSync, readFileSync, writeFileSync } from "node:fs";
import { type handleUnaryCall, status, type UntypedServiceImplementation } from "@grpc/grpc-js";
import pluginProto from "@pulumi/pulumi/proto/plugin_pb.js";
import providerProto from "@pulumi/pulumi/proto/provider_pb.js";
import emptyProto from "google-protobuf/google/protobuf/empty_pb.js";
import structProto, { type Struct } from "google-protobuf/google/protobuf/struct_pb.js";
import type { Properties } from "../../../plugins/command-standin/envelopes.ts";
import { type ArmState, FakeArm } from "./fake-arm.ts";
import { type Change, changesOf, previewed, problemsOf, put, withName } from "./provider.ts";

const VERSION = "3.28.0";

/** A fake ARM whose resources outlive the process, in a file. */
class StoredArm extends FakeArm {
  readonly #file: string;

  constructor(file: string) {
    super(existsSync(file) ? (JSON.parse(readFileSync(file, "utf8")) as ArmState) : undefined);
    this.#file = file;
  }

  override async put(...args: Parameters<FakeArm["put"]>): ReturnType<FakeArm["put"]> {
    const answer = await super.put(...args);
    this.#save();
    return answer;
  }

  override delete(id: string): void {
    super.delete(id);
    this.#save();
  }

  #save(): void {
    writeFileSync(this.#file, JSON.stringify(this.state));
  }
}

/** @param file Where the cloud is kept between two runs. */
export function azureNativeService(file: string): UntypedServiceImplementation {
  const arm = new StoredArm(file);
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
      response.setVersion(VERSION);
      return response;
    }),
    getSchema: unary(async () => {
      const response = new providerProto.GetSchemaResponse();
      response.setSchema(JSON.stringify({ name: "azure-native", version: VERSION }));
      return response;
    }),
    check: unary(async (request: providerProto.CheckRequest) => {
      const { type, name } = urnParts(request.getUrn());
      const inputs = withName(type, name, properties(request.getOlds()), properties(request.getNews()));
      const response = new providerProto.CheckResponse();
      response.setInputs(struct(inputs));
      for (const reason of await problemsOf(type, inputs)) {
        const failure = new providerProto.CheckFailure();
        failure.setReason(reason);
        response.addFailures(failure);
      }
      return response;
    }),
    diff: unary(async (request: providerProto.DiffRequest) => {
      const { type } = urnParts(request.getUrn());
      return diffResponse(changesOf(type, properties(request.getOldInputs()), properties(request.getNews())));
    }),
    create: unary(async (request: providerProto.CreateRequest) => {
      const { type } = urnParts(request.getUrn());
      const inputs = properties(request.getProperties());
      const response = new providerProto.CreateResponse();
      if (request.getPreview()) {
        response.setProperties(struct(previewed(type, inputs)));
        return response;
      }
      const { id, state } = await put(arm, type, inputs);
      response.setId(id);
      response.setProperties(struct(state));
      return response;
    }),
    update: unary(async (request: providerProto.UpdateRequest) => {
      const { type } = urnParts(request.getUrn());
      const inputs = properties(request.getNews());
      const response = new providerProto.UpdateResponse();
      const state = request.getPreview()
        ? previewed(type, inputs, properties(request.getOlds()))
        : (await put(arm, type, inputs)).state;
      response.setProperties(struct(state));
      return response;
    }),
    delete: unary(async (request: providerProto.DeleteRequest) => {
      arm.delete(request.getId());
      return new emptyProto.Empty();
    }),
    cancel: unary(async () => new emptyProto.Empty()),
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

function diffResponse(changes: readonly Change[]): providerProto.DiffResponse {
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
  for (const { path, kind, replaces } of changes) {
    const detail = new PropertyDiff();
    detail.setKind(kinds[kind][replaces ? 1 : 0]);
    detail.setInputdiff(true);
    response.getDetaileddiffMap().set(path, detail);
  }
  return response;
}
