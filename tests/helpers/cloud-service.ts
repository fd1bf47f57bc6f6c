/** Pulumi's ResourceProvider service on top of a fake cloud, whose state a file keeps between two runs. */
import { randomBytes } from "node:crypto";
import { existsSync, readFileSync, writeFileSync } from "node:fs";
import { isDeepStrictEqual } from "node:util";
import type { UntypedServiceImplementation } from "@grpc/grpc-js";
import providerProto from "@pulumi/pulumi/proto/provider_pb.js";
import emptyProto from "google-protobuf/google/protobuf/empty_pb.js";
import type { PropertyChange } from "../../tools/command-standin/shared/diff.ts";
import { type Properties, plain, plainProperties } from "../../tools/command-standin/shared/envelopes.ts";
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
} from "../../tools/command-standin/shared/messages.ts";
import { meetFault } from "./cloud-faults.ts";

type Eventual<T> = T | Promise<T>;

/** A cloud as its provider shows it. Inputs are without secrets, unless they are compared or previewed. */
export interface FakeCloud {
  readonly provider: readonly [name: string, version: string];
  readonly state: {
    readonly resources: Readonly<Record<string, { readonly inputs: unknown }>>;
    readonly requests: readonly unknown[];
  };
  configured?(args: Properties): void;
  /** The input that names a resource in the cloud, and the text before its generated end; undefined without one. */
  nameOf(type: string): readonly [input: string, before: string] | undefined;
  problems(type: string, inputs: Properties): Eventual<readonly string[]>;
  /** @param ignored Inputs that the program leaves to others. */
  changes(type: string, olds: Properties, news: Properties, ignored: readonly string[]): PropertyChange[];
  previewed(type: string, inputs: Properties, state: Properties): Properties;
  create(type: string, name: string, inputs: Properties): Eventual<{ id: string; outputs: object }>;
  update(id: string, name: string, type: string, inputs: Properties): Eventual<object>;
  delete(id: string, name: string): void;
  outputs(id: string): object;
  /** The id of a resource that an import names otherwise. @default the given one */
  imported?(id: string): string;
  /** A refresh's inputs. @param given The state's; none for an import. */
  present(given: Properties, now: Properties): Properties;
  call(token: string, args: Properties): object;
}

/** The state that a file has; undefined before the first run. */
export function storedCloud<State>(file: string): State | undefined {
  return existsSync(file) ? (JSON.parse(readFileSync(file, "utf8")) as State) : undefined;
}

/** @param file File of the cloud's state. @param faults File of its faults. */
export function cloudService(
  cloud: FakeCloud,
  file: string,
  faults: string | undefined,
): UntypedServiceImplementation {
  const changed = async <T>(urn: string, change: () => Eventual<T>): Promise<T> => {
    const { type, name } = urnParts(urn);
    const requests = cloud.state.requests.length;
    meetFault(faults, { name, type: type.split(":").at(-1) as string, requests });
    const answer = await change();
    writeFileSync(file, JSON.stringify(cloud.state));
    return answer;
  };
  return {
    ...pluginMethods(...cloud.provider),
    configure: unary(async (request: providerProto.ConfigureRequest) => {
      cloud.configured?.(plainProperties(properties(request.getArgs())));
      const response = new providerProto.ConfigureResponse();
      response.setAcceptsecrets(true);
      response.setSupportspreview(true);
      return response;
    }),
    check: unary(async (request: providerProto.CheckRequest) => {
      const { type, name } = urnParts(request.getUrn());
      const [olds, news] = [properties(request.getOlds()), properties(request.getNews())];
      const [input, before] = cloud.nameOf(type) ?? [];
      // Like the real providers: a missing name is generated once.
      const made = `${name}${before}${randomBytes(4).toString("hex")}`;
      const inputs = input === undefined ? news : { ...news, [input]: news[input] ?? olds[input] ?? made };
      const problems = await cloud.problems(type, plainProperties(inputs));
      return checkResponse(
        inputs,
        problems.map((reason) => ({ reason })),
      );
    }),
    diff: unary(async (request: providerProto.DiffRequest) => {
      const { type } = urnParts(request.getUrn());
      const [olds, news] = [properties(request.getOldInputs()), properties(request.getNews())];
      return diffResponse(cloud.changes(type, olds, news, request.getIgnorechangesList()), true);
    }),
    create: unary(async (request: providerProto.CreateRequest) => {
      const { type, name } = urnParts(request.getUrn());
      const inputs = properties(request.getProperties());
      if (request.getPreview()) {
        return createResponse(cloud.previewed(type, inputs, {}));
      }
      const made = () => cloud.create(type, name, plainProperties(inputs));
      const { id, outputs } = await changed(request.getUrn(), made);
      return createResponse({ ...outputs, ...secretsOf(inputs) }, id);
    }),
    // A refresh, or an import; no answer for a missing resource.
    read: unary(async (request: providerProto.ReadRequest) => {
      const response = new providerProto.ReadResponse();
      const id = cloud.imported?.(request.getId()) ?? request.getId();
      const found = cloud.state.resources[id];
      if (found !== undefined) {
        const inputs = cloud.present(properties(request.getInputs()), found.inputs as Properties);
        response.setId(id);
        response.setInputs(struct(inputs));
        response.setProperties(struct({ ...cloud.outputs(id), ...secretsOf(inputs) }));
      }
      return response;
    }),
    update: unary(async (request: providerProto.UpdateRequest) => {
      const { type, name } = urnParts(request.getUrn());
      const inputs = properties(request.getNews());
      if (request.getPreview()) {
        return updateResponse(cloud.previewed(type, inputs, properties(request.getOlds())));
      }
      const made = () => cloud.update(request.getId(), name, type, plainProperties(inputs));
      return updateResponse({ ...(await changed(request.getUrn(), made)), ...secretsOf(inputs) });
    }),
    delete: unary(async (request: providerProto.DeleteRequest) => {
      const { name } = urnParts(request.getUrn());
      await changed(request.getUrn(), () => cloud.delete(request.getId(), name));
      return new emptyProto.Empty();
    }),
    invoke: unary(async (request: providerProto.InvokeRequest) => {
      const response = new providerProto.InvokeResponse();
      const args = plainProperties(properties(request.getArgs()));
      response.setReturn(struct({ ...cloud.call(request.getTok(), args) }));
      return response;
    }),
  };
}

function secretsOf(inputs: Properties): Properties {
  return Object.fromEntries(
    Object.entries(inputs).filter(([, value]) => !isDeepStrictEqual(value, plain(value))),
  );
}
