/**
 * The azure-native provider on top of the fake ARM, as far as these tests need: inputs are checked against ARM's schema, and changes of a
 * resource's place replace it. Written after the real provider's behaviour; their equality is not proved.
 */
import { setTimeout } from "node:timers/promises";
import { isDeepStrictEqual } from "node:util";
import type { UntypedServiceImplementation } from "@grpc/grpc-js";
import providerProto from "@pulumi/pulumi/proto/provider_pb.js";
import { differences } from "../../../tools/command-standin/shared/diff.ts";
import { type Properties, plain, UNKNOWN } from "../../../tools/command-standin/shared/envelopes.ts";
import { unary } from "../../../tools/command-standin/shared/messages.ts";
import { meetFault } from "../cloud-faults.ts";
import { cloudService, type FakeCloud, storedCloud } from "../cloud-service.ts";
import { type ArmState, FakeArm } from "./fake-arm.ts";
import { managementClient } from "./mappers.ts";
import { requestBody } from "./request-body.ts";
import { apiVersionOf, bodyInputs, resourceType, unversioned } from "./resource-types.ts";

const VERSION = "3.28.0";

/** Duration of a write to a network: longer than the engine takes to send the next request. */
const WRITE_MS = 60;

/** The virtual networks that writing a subnet or a peering changes. */
function networksWritten(id: string, inputs: Properties): string[] {
  const [, own] = /^(.*\/virtualNetworks\/[^/]+)\/(?:subnets|virtualNetworkPeerings)\//.exec(id) ?? [];
  const remote = (inputs.remoteVirtualNetwork as { id?: string } | undefined)?.id;
  return [own, remote].filter((one) => one !== undefined);
}

/** Outputs that contain more than the input of the same name, or have none: the engine cannot know them yet. */
const computedOutputs: Readonly<Record<string, readonly string[]>> = {
  "azure-native:network:PublicIPAddress": ["ipAddress"],
  "azure-native:network:PublicIPPrefix": ["ipPrefix"],
  "azure-native:network:NetworkInterface": ["ipConfigurations"],
  "azure-native:network:AzureFirewall": ["ipConfigurations"],
  "azure-native:compute:VirtualMachine": ["vmId"],
};

/**
 * @param file File of the cloud's state between two runs.
 * @param faults File of its faults.
 */
export function azureNativeService(file: string, faults?: string): UntypedServiceImplementation {
  const arm = new FakeArm(storedCloud<ArmState>(file));
  const busy = new Set<string>();
  /** Writes to a network take a while, and Azure refuses another write meanwhile. */
  const put = async (token: string, inputs: Properties) => {
    const answer = await arm.put(token, inputs);
    const networks = networksWritten(answer.id, inputs);
    const others = networks.filter((one) => busy.has(one));
    if (others.length > 0) {
      throw new Error(`AnotherOperationInProgress: ${others.join(", ")}, asked for ${answer.id}`);
    }
    for (const one of networks) busy.add(one);
    await (networks.length > 0 ? setTimeout(WRITE_MS) : undefined);
    for (const one of networks) busy.delete(one);
    return answer;
  };
  const cloud: FakeCloud = {
    provider: ["azure-native", VERSION],
    state: arm.state,
    nameOf: (type) => [resourceType(type).path.at(-1) as string, ""],
    async problems(token, inputs) {
      const type = resourceType(token);
      const client = await managementClient(type.client, apiVersionOf(token));
      return requestBody(client, type.className, bodyInputs(type, inputs)).problems;
    },
    changes(token, olds, news) {
      const { path, forceNew } = resourceType(token);
      const keys = [...new Set([...Object.keys(olds), ...Object.keys(news)])].sort();
      return keys.flatMap((key) =>
        differences(plain(olds[key] ?? null), plain(news[key] ?? null), key).map((change) => ({
          ...change,
          replaces: [...path, ...forceNew].includes(key),
        })),
      );
    },
    previewed(token, inputs, state) {
      const computed = [...(computedOutputs[unversioned(token)] ?? []), "id", "name"];
      return {
        ...state,
        ...inputs,
        ...Object.fromEntries(computed.map((key) => [key, state[key] ?? UNKNOWN])),
      };
    },
    create: (token, _, inputs) => put(token, inputs),
    update: async (_id, _name, token, inputs) => (await put(token, inputs)).outputs,
    delete: (id) => arm.delete(id),
    outputs: (id) => arm.outputs(id),
    present: (given, now) =>
      Object.fromEntries(
        Object.entries(now).map(([key, value]) => [
          key,
          isDeepStrictEqual(plain(given[key] ?? null), value) ? (given[key] ?? null) : value,
        ]),
      ),
    call: (token, args) => arm.lookUp(token.replace(":get", ":"), args).outputs,
  };
  return {
    ...cloudService(cloud, file, faults),
    parameterize: unary(async (request: providerProto.ParameterizeRequest) => {
      meetFault(faults, { name: "azure-native", type: "Parameterize", requests: 0 });
      const value = Buffer.from(request.getValue()?.getValue_asU8() ?? []).toString();
      const { module, version }: Record<string, string> = JSON.parse(Buffer.from(value, "base64").toString());
      const response = new providerProto.ParameterizeResponse();
      response.setName(`azure-native_${module}_${version}`);
      response.setVersion(VERSION);
      return response;
    }),
  };
}
