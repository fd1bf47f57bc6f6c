/** A fake ARM that checks, records and assigns addresses, as far as these tests need. */
import { createHash } from "node:crypto";
import { cidrsOverlap } from "../../../components/shared/cidr.ts";
import { refusalsOf } from "./fake-refusals.ts";
import { managementClient } from "./mappers.ts";
import { membersOf } from "./outbound-ports.ts";
import { requestBody } from "./request-body.ts";
import { apiVersionOf, bodyInputs, resourceId, resourceType, unversioned } from "./resource-types.ts";
import { cutSubnets } from "./ways-out.ts";

type Properties = Readonly<Record<string, unknown>>;

export interface ArmResource {
  readonly id: string;
  readonly type: string;
  readonly inputs: Properties;
  readonly body: Properties;
  /** Its place among the resources of its subnet. */
  readonly place: number;
}

interface ArmRequest {
  readonly method: "PUT" | "DELETE";
  readonly type: string;
  readonly id: string;
  /** Names of the clients' subnets without a way out after it. @default none */
  readonly cut?: readonly string[];
}

export interface ArmState {
  readonly resources: Record<string, ArmResource>;
  readonly requests: ArmRequest[];
}

/** References of which each may be held by one resource at a time. */
const exclusive = [/\/publicIP(Address|Prefix)es\/[^/]+$/, /\/networkInterfaces\/[^/]+$/];

/** Resources that others own, never a stack. */
const foreign = /\/(expressRouteCircuits|diskEncryptionSets)\//;

export class FakeArm {
  readonly state: ArmState;

  constructor(state: ArmState = { resources: {}, requests: [] }) {
    this.state = state;
  }

  /**
   * Creates or updates.
   *
   * @returns The resource's id and the provider's outputs.
   * @throws {Error} for a body that ARM would refuse.
   */
  async put(type: string, inputs: Properties): Promise<{ id: string; outputs: Record<string, unknown> }> {
    const known = resourceType(type);
    const id = resourceId(known, inputs);
    const client = await managementClient(known.client, apiVersionOf(type));
    const { body, problems } = requestBody(client, known.className, bodyInputs(known, inputs));
    const inPlace = resolveSelf(body, id) as Properties;
    const refusals = [
      ...problems,
      ...this.#missing(id, inPlace),
      ...this.#taken(id, inPlace),
      ...this.#overlaps(id, inputs),
      ...refusalsOf(unversioned(type), id, inputs, this.state.resources),
    ];
    if (refusals.length > 0) {
      throw new Error(`ARM would refuse ${id}:\n${refusals.join("\n")}`);
    }
    const place = this.state.resources[id]?.place ?? this.#freePlace(inPlace);
    this.state.resources[id] = { id, type, inputs, body: inPlace, place };
    this.#record("PUT", type, id);
    return { id, outputs: this.#outputs(type, id, inputs) };
  }

  /** The provider's outputs for the resource whose id ends like this. */
  outputs(idEnd: string): Record<string, unknown> {
    const resource = Object.values(this.state.resources).find(({ id }) => id.endsWith(idEnd));
    if (resource === undefined) {
      throw new Error(`ARM has no ${idEnd}`);
    }
    return this.#outputs(resource.type, resource.id, resource.inputs);
  }

  /** A resource of a type by the parts of its path, as the provider's functions return it. */
  lookUp(type: string, path: Properties): { id: string; outputs: Record<string, unknown> } {
    const id = resourceId(resourceType(type), path);
    return { id, outputs: { ...this.outputs(id), ...this.#usersOf(id) } };
  }

  /** Facts of a resource that follow from its users. */
  #usersOf(id: string): Record<string, unknown> {
    const all = Object.values(this.state.resources);
    if (/\/virtualNetworks\/[^/]+$/.test(id)) {
      const subnets = all.filter((one) => one.id.startsWith(`${id}/subnets/`));
      return {
        subnets: subnets.map(({ id, inputs: { addressPrefix, routeTable } }) => ({
          ...{ id, name: id.split("/").at(-1), addressPrefix },
          ...(routeTable === undefined ? {} : { routeTable }),
        })),
      };
    }
    if (/\/loadBalancers\/[^/]+$/.test(id)) {
      return {
        backendAddressPools: (
          (this.state.resources[id]?.inputs.backendAddressPools ?? []) as Properties[]
        ).map((pool) => ({
          ...pool,
          backendIPConfigurations: membersOf(
            `${id}/backendAddressPools/${String(pool.name)}`,
            this.state.resources,
          ),
        })),
      };
    }
    const holder = id.includes("/publicIPAddresses/")
      ? all.find((one) => one.id !== id && references(one.body).includes(id))?.id
      : undefined;
    if (holder === undefined) {
      return {};
    }
    return holder.includes("/natGateways/")
      ? { natGateway: { id: holder } }
      : { ipConfiguration: { id: `${holder}/ipConfigurations/primary` } };
  }

  /** @throws {Error} while it contains, or is used by, another resource. */
  delete(id: string): void {
    const resource = this.state.resources[id];
    if (resource === undefined) {
      throw new Error(`ARM has no ${id}`);
    }
    // Deleting a machine deletes its run commands.
    const withIt = Object.keys(this.state.resources).filter((one) => one.startsWith(`${id}/runCommands/`));
    const users = Object.values(this.state.resources).filter(
      (other) =>
        other.id !== id &&
        !withIt.includes(other.id) &&
        (other.id.startsWith(`${id}/`) || references(other.body).some((ref) => isAt(ref, id))),
    );
    if (users.length > 0) {
      throw new Error(
        `ARM would refuse to delete ${id}: in use by ${users.map((user) => user.id).join(", ")}`,
      );
    }
    for (const one of [...withIt, id]) {
      delete this.state.resources[one];
    }
    this.#record("DELETE", resource.type, id);
  }

  #record(method: ArmRequest["method"], type: string, id: string): void {
    const cut = cutSubnets(this);
    this.state.requests.push({ method, type, id, ...(cut.length > 0 && { cut }) });
  }

  #missing(id: string, body: Properties): string[] {
    const known = [id, ...Object.keys(this.state.resources)];
    return references(body)
      .filter((ref) => !foreign.test(ref) && !known.some((other) => isAt(ref, other)))
      .map((ref) => `${ref} does not exist`);
  }

  #taken(id: string, body: Properties): string[] {
    const mine = references(body).filter((ref) => exclusive.some((pattern) => pattern.test(ref)));
    const others = Object.values(this.state.resources).filter((other) => other.id !== id);
    return mine.flatMap((ref) =>
      others
        .filter((other) => references(other.body).includes(ref))
        .map((other) => `${ref} is in use by ${other.id}`),
    );
  }

  #overlaps(id: string, inputs: Properties): string[] {
    const siblings = Object.values(this.state.resources).filter(
      (other) => other.id !== id && other.id.startsWith(`${id.slice(0, id.lastIndexOf("/"))}/`),
    );
    return siblings
      .filter(
        ({ inputs: { addressPrefix } }) =>
          typeof addressPrefix === "string" &&
          typeof inputs.addressPrefix === "string" &&
          cidrsOverlap(addressPrefix, inputs.addressPrefix),
      )
      .map((other) => `NetcfgSubnetRangesOverlap: ${String(inputs.addressPrefix)} is taken by ${other.id}`);
  }

  #outputs(type: string, id: string, inputs: Properties): Record<string, unknown> {
    const common = {
      ...inputs,
      id,
      name: id.split("/").at(-1),
      azureApiVersion: "stand-in",
      provisioningState: "Succeeded",
    };
    const number = numberOf(id);
    switch (unversioned(type)) {
      case "azure-native:network:PublicIPAddress":
        return {
          ...common,
          ipAddress:
            inputs.publicIPAddressVersion === "IPv6"
              ? `2603:1040::${(number % 0xffff).toString(16)}`
              : `20.${number % 200}.${(number >>> 8) % 200}.${1 + ((number >>> 16) % 200)}`,
        };
      case "azure-native:network:PublicIPPrefix":
        return {
          ...common,
          ipPrefix: `20.${200 + (number % 50)}.${(number >>> 8) % 200}.0/${String(inputs.prefixLength)}`,
        };
      case "azure-native:network:NetworkInterface":
      case "azure-native:network:AzureFirewall":
        return { ...common, ipConfigurations: this.withPrivateAddresses(id, inputs.ipConfigurations) };
      case "azure-native:network:LoadBalancer":
        return {
          ...common,
          frontendIPConfigurations: this.withPrivateAddresses(id, inputs.frontendIPConfigurations),
        };
      case "azure-native:compute:VirtualMachine":
        return { ...common, vmId: createHash("sha256").update(id).digest("hex").slice(0, 32) };
      default:
        return common;
    }
  }

  #freePlace(body: Properties): number {
    const subnets = references(body).filter((ref) => ref.includes("/subnets/"));
    const others = Object.values(this.state.resources);
    const users = others.filter((other) => references(other.body).some((ref) => subnets.includes(ref)));
    // The next free number among its users.
    const taken = new Set(users.map(({ place }) => place));
    let free = users.length;
    while (taken.has(free)) {
      free++;
    }
    return free;
  }

  /** An interface's, a load balancer's or a firewall's configurations with the addresses that ARM gave. */
  withPrivateAddresses(id: string, configurations: unknown): Properties[] {
    const { place = 0 } = this.state.resources[id] ?? {};
    return ((configurations ?? []) as Properties[]).map((configuration, index) => {
      const subnet = (configuration.subnet as { id?: string } | undefined)?.id;
      if (subnet === undefined) {
        return configuration;
      }
      const block = String(this.state.resources[subnet]?.inputs.addressPrefix ?? "10.255.0.0/24").replace(
        /\d+\/\d+$/,
        "",
      );
      return { privateIPAddress: `${block}${4 + index + 10 * place}`, ...configuration };
    });
  }
}

function numberOf(text: string): number {
  return createHash("sha256").update(text).digest().readUInt32BE();
}

function references(value: unknown): string[] {
  if (typeof value === "string") {
    return value.startsWith("/subscriptions/") ? [value] : [];
  }
  return typeof value === "object" && value !== null ? Object.values(value).flatMap(references) : [];
}

function isAt(reference: string, id: string): boolean {
  return reference === id || reference.startsWith(`${id}/`);
}

/** The provider's `$self/` is the resource's own id. */
function resolveSelf(value: unknown, id: string): unknown {
  if (typeof value === "string") {
    return value.startsWith("$self/") ? `${id}${value.slice("$self".length)}` : value;
  }
  if (Array.isArray(value)) {
    return value.map((item) => resolveSelf(item, id));
  }
  return typeof value === "object" && value !== null
    ? Object.fromEntries(Object.entries(value).map(([key, item]) => [key, resolveSelf(item, id)]))
    : value;
}
