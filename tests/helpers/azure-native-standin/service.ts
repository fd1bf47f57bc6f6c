/** Pulumi's ResourceProvider service around the stand-in. */
import { existsSync, readFileSync, writeFileSync } from "node:fs";
import { setTimeout } from "node:timers/promises";
import { isDeepStrictEqual } from "node:util";
import type { UntypedServiceImplementation } from "@grpc/grpc-js";
import providerProto from "@pulumi/pulumi/proto/provider_pb.js";
import emptyProto from "google-protobuf/google/protobuf/empty_pb.js";
import { plain } from "../../../tools/command-standin/shared/envelopes.ts";
import {
  checkResponse,
  createResponse,
  diffResponse,
  pluginMethods,
  properties,
  struct,
  unary,
  updateResponse,
  urnParts,
} from "../../../tools/command-standin/shared/messages.ts";
import { meetFault } from "../cloud-faults.ts";
import { type ArmState, FakeArm } from "./fake-arm.ts";
import { changesOf, previewed, problemsOf, put, withName } from "./provider.ts";

const VERSION = "3.28.0";

type Properties = Parameters<FakeArm["put"]>[1];

/** Duration of a write to a network: longer than the engine takes to send the next request. */
const WRITE_MS = 60;

/** The virtual networks that writing a subnet or a peering changes. */
function networksWritten(id: string, inputs: Properties): string[] {
  const [, own] = /^(.*\/virtualNetworks\/[^/]+)\/(?:subnets|virtualNetworkPeerings)\//.exec(id) ?? [];
  const remote = (inputs.remoteVirtualNetwork as { id?: string } | undefined)?.id;
  return [own, remote].filter((one) => one !== undefined);
}

/** A fake ARM whose resources are stored in a file and outlive the process. */
class StoredArm extends FakeArm {
  readonly #file: string;
  readonly #busy = new Set<string>();

  constructor(file: string) {
    super(existsSync(file) ? (JSON.parse(readFileSync(file, "utf8")) as ArmState) : undefined);
    this.#file = file;
  }

  override async put(...args: Parameters<FakeArm["put"]>): ReturnType<FakeArm["put"]> {
    const answer = await super.put(...args);
    this.#save();
    await this.#write(answer.id, args[1]);
    return answer;
  }

  override delete(id: string): void {
    super.delete(id);
    this.#save();
  }

  /** Writes to a network take a while, and Azure refuses another write meanwhile. */
  async #write(id: string, inputs: Properties): Promise<void> {
    const networks = networksWritten(id, inputs);
    const busy = networks.filter((one) => this.#busy.has(one));
    if (busy.length > 0) {
      throw new Error(`AnotherOperationInProgress: ${busy.join(", ")}, asked for ${id}`);
    }
    for (const one of networks) this.#busy.add(one);
    await (networks.length > 0 ? setTimeout(WRITE_MS) : undefined);
    for (const one of networks) this.#busy.delete(one);
  }

  #save(): void {
    writeFileSync(this.#file, JSON.stringify(this.state));
  }
}

/**
 * @param file File of the cloud's state between two runs.
 * @param faults File of its faults.
 */
export function azureNativeService(file: string, faults?: string): UntypedServiceImplementation {
  const arm = new StoredArm(file);
  const meet = (urn: string) => {
    const { type, name } = urnParts(urn);
    const requests = arm.state.requests.length;
    meetFault(faults, { name, type: type.split(":").at(-1) as string, requests });
  };
  return {
    ...pluginMethods("azure-native", VERSION),
    parameterize: unary(async (request: providerProto.ParameterizeRequest) => {
      meetFault(faults, { name: "azure-native", type: "Parameterize", requests: 0 });
      const value = Buffer.from(request.getValue()?.getValue_asU8() ?? []).toString();
      const { module, version }: Record<string, string> = JSON.parse(Buffer.from(value, "base64").toString());
      const response = new providerProto.ParameterizeResponse();
      response.setName(`azure-native_${module}_${version}`);
      response.setVersion(VERSION);
      return response;
    }),
    check: unary(async (request: providerProto.CheckRequest) => {
      const { type, name } = urnParts(request.getUrn());
      const inputs = withName(type, name, properties(request.getOlds()), properties(request.getNews()));
      const problems = await problemsOf(type, inputs);
      return checkResponse(
        inputs,
        problems.map((reason) => ({ reason })),
      );
    }),
    diff: unary(async (request: providerProto.DiffRequest) => {
      const { type } = urnParts(request.getUrn());
      const changes = changesOf(type, properties(request.getOldInputs()), properties(request.getNews()));
      return diffResponse(changes, true);
    }),
    create: unary(async (request: providerProto.CreateRequest) => {
      const { type } = urnParts(request.getUrn());
      const inputs = properties(request.getProperties());
      if (request.getPreview()) {
        return createResponse(previewed(type, inputs));
      }
      meet(request.getUrn());
      const { id, state } = await put(arm, type, inputs);
      return createResponse(state, id);
    }),
    update: unary(async (request: providerProto.UpdateRequest) => {
      const { type } = urnParts(request.getUrn());
      const inputs = properties(request.getNews());
      if (request.getPreview()) {
        return updateResponse(previewed(type, inputs, properties(request.getOlds())));
      }
      meet(request.getUrn());
      return updateResponse((await put(arm, type, inputs)).state);
    }),
    // An import, without inputs, or a refresh; no answer for a missing resource.
    read: unary(async (request: providerProto.ReadRequest) => {
      const response = new providerProto.ReadResponse();
      const found = arm.state.resources[request.getId()];
      if (found !== undefined) {
        const given = properties(request.getInputs());
        const now = Object.entries(found.inputs).map(
          ([key, value]) =>
            [key, isDeepStrictEqual(plain(given[key] ?? null), value) ? given[key] : value] as const,
        );
        const inputs = Object.fromEntries(now) as Parameters<typeof struct>[0];
        response.setId(found.id);
        response.setInputs(struct(inputs));
        response.setProperties(
          struct({ ...arm.outputs(found.id), ...inputs } as Parameters<typeof struct>[0]),
        );
      }
      return response;
    }),
    delete: unary(async (request: providerProto.DeleteRequest) => {
      meet(request.getUrn());
      arm.delete(request.getId());
      return new emptyProto.Empty();
    }),
    // Functions look one resource up.
    invoke: unary(async (request: providerProto.InvokeRequest) => {
      const response = new providerProto.InvokeResponse();
      const { id, outputs } = arm.lookUp(
        request.getTok().replace(":get", ":"),
        properties(request.getArgs()),
      );
      response.setReturn(struct({ ...outputs, id } as Parameters<typeof struct>[0]));
      return response;
    }),
  };
}
