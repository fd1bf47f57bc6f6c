/**
 * A fake EC2 that checks, records and assigns addresses, as far as these tests need.
 *
 * It refuses what EC2 refuses: references to missing resources, a second use of exclusive ones, a public address without an
 * internet gateway, an image of another architecture, deletion of resources in use. It also refuses two mistakes that EC2
 * accepts: a machine that boots without a way out, and a route to an interface that checks source and destination.
 */
import type { Properties, Value } from "../../../tools/command-standin/shared/envelopes.ts";
import { privateAddresses, publicAddress } from "./fake-addresses.ts";
import { callFunction } from "./fake-functions.ts";
import {
  interfaceOf,
  machineOutputs,
  madeWith,
  nextVersion,
  ownInterface,
  showAddress,
  templateOf,
  updatedOutputs,
} from "./fake-machines.ts";
import { changeProblems, mappedAddresses, problemsOf } from "./fake-refusals.ts";
import { rulesOf } from "./resource-rules.ts";
import { cutRoutes } from "./ways-out.ts";

export interface Ec2Resource {
  readonly id: string;
  /** Last part of its type, such as `NatGateway`. */
  readonly kind: string;
  readonly inputs: Properties;
  readonly outputs: Properties;
}

export interface Ec2Request {
  readonly action: "create" | "update" | "delete";
  readonly kind: string;
  readonly id: string;
  readonly name: string;
  /** Names of the private routes that lead nowhere after it. @default none */
  readonly cut?: readonly string[];
}

export interface Ec2State {
  resources: Record<string, Ec2Resource>;
  requests: Ec2Request[];
  /** Counts up when the publishers release new images. */
  imageRelease: number;
  made: number;
  /** AWS partition. @default aws */
  partition?: string;
}

const ID = /^(vpc|subnet|igw|rtb|eipalloc|eni|sg|i|nat|pcx|lt)-[0-9a-f]{8,}$/;

export class FakeEc2 {
  readonly state: Ec2State;

  constructor(state: Ec2State = { resources: {}, requests: [], imageRelease: 1, made: 0 }) {
    this.state = state;
  }

  /** @throws {Error} for what EC2 would refuse. */
  create(token: string, name: string, inputs: Properties): { id: string; outputs: Properties } {
    const kind = kindOf(token);
    this.#refuse(kind, name, [...this.#missing(inputs), ...problemsOf(this, kind, inputs)]);
    return (
      (kind === "EipAssociation" ? this.#associated(inputs) : undefined) ??
      this.createUnchecked(token, name, inputs)
    );
  }

  /** The existing association; one with another target, or of another address at this place, ends. */
  #associated(inputs: Properties): { id: string; outputs: Properties } | undefined {
    const place = ({ networkInterfaceId, privateIpAddress }: Properties) =>
      `${String(networkInterfaceId)} ${String(privateIpAddress ?? this.get(networkInterfaceId).outputs.privateIp)}`;
    for (const now of this.all("EipAssociation")) {
      const [isSame, isHere] = [
        now.inputs.allocationId === inputs.allocationId,
        place(now.inputs) === place(inputs),
      ];
      if (isSame && isHere) {
        return { id: now.id, outputs: now.outputs };
      }
      if (isSame || isHere) {
        delete this.state.resources[now.id];
      }
    }
    return undefined;
  }

  /** {@link FakeEc2.create} without the checks. */
  createUnchecked(token: string, name: string, inputs: Properties): { id: string; outputs: Properties } {
    const kind = kindOf(token);
    const number = ++this.state.made;
    const id =
      kind === "Group"
        ? String(inputs.name)
        : `${rulesOf(token).id}-${number.toString(16).padStart(17, "0")}`;
    const outputs = this.#outputs(kind, id, number, inputs);
    this.state.resources[id] = { id, kind, inputs, outputs };
    if (madeWith(this.get(id)) !== undefined) {
      const own = ownInterface(this.get(id));
      this.state.resources[own.id] = own;
    }
    showAddress(this, kind, inputs);
    this.#record("create", kind, id, name);
    return { id, outputs };
  }

  update(id: string, name: string, inputs: Properties): Properties {
    const { kind, outputs, inputs: before } = this.get(id);
    delete this.state.resources[id];
    try {
      const problems = [...problemsOf(this, kind, inputs), ...changeProblems(this, kind, before, inputs)];
      this.#refuse(kind, name, [...this.#missing(inputs), ...problems]);
    } finally {
      this.state.resources[id] = { id, kind, inputs, outputs };
    }
    const now = { ...outputs, ...inputs, ...updatedOutputs(this, kind, outputs, inputs) };
    this.state.resources[id] = { id, kind, inputs, outputs: now };
    this.#record("update", kind, id, name);
    return now;
  }

  /** @throws {Error} while it is in use. */
  delete(id: string, name: string): void {
    if (id.startsWith("eipassoc-") && this.state.resources[id] === undefined) {
      // The provider treats InvalidAssociationID.NotFound as success.
      return;
    }
    const { kind, inputs } = this.get(id);
    const holder = kind === "NetworkInterface" ? this.holderOf(id) : undefined;
    if (holder !== undefined) {
      throw new Error(`EC2 would refuse to delete ${kind} ${name}: attached to ${holder.kind} ${holder.id}`);
    }
    if (kind === "NetworkInterface") {
      this.#disassociate(id);
    }
    const own = madeWith(this.get(id));
    if (own !== undefined) {
      this.#disassociate(own);
      delete this.state.resources[own];
    }
    if (kind === "Invocation" && inputs.lifecycleScope === "CRUD") {
      this.#giveRoutesBack(inputs.functionName ?? null);
    }
    // A route stays as a black hole if its target is gone (VPC's guide, "Route table concepts").
    const users = this.#users(id).filter((user) => !isTarget(kind) || user.kind !== "Route");
    if (kind === "InternetGateway") {
      users.push(...mappedAddresses(this, inputs.vpcId ?? null));
    }
    if (users.length > 0) {
      const by = users.map((user) => `${user.kind} ${user.id}`).join(", ");
      throw new Error(`EC2 would refuse to delete ${kind} ${name}: in use by ${by}`);
    }
    delete this.state.resources[id];
    this.#record("delete", kind, id, name);
  }

  /** @throws {Error} for a function or an argument that is not expected. */
  call(token: string, args: Properties): Properties {
    return callFunction(this, token, args);
  }

  /** @throws {Error} when there is none. */
  get(id: Value | undefined): Ec2Resource {
    const resource = this.state.resources[String(id)];
    if (resource === undefined) {
      throw new Error(`EC2 has no ${String(id)}`);
    }
    return resource;
  }

  all(kind: string): Ec2Resource[] {
    return Object.values(this.state.resources).filter((one) => one.kind === kind);
  }

  /** The machine or group with this interface. */
  holderOf(interfaceId: Value): Ec2Resource | undefined {
    const has = ({ inputs, outputs }: Pick<Ec2Resource, "inputs" | "outputs">) =>
      references(inputs).includes(String(interfaceId)) || outputs.primaryNetworkInterfaceId === interfaceId;
    return (
      this.all("Instance").find(has) ??
      this.all("Group").find(
        // A group with a desired capacity of 0 has none.
        ({ inputs, outputs }) =>
          inputs.desiredCapacity !== 0 && has({ inputs: templateOf(this, inputs), outputs }),
      )
    );
  }

  #record(action: Ec2Request["action"], kind: string, id: string, name: string): void {
    const cut = cutRoutes(this.state);
    this.state.requests.push({ action, kind, id, name, ...(cut.length > 0 && { cut }) });
  }

  #refuse(kind: string, name: string, problems: readonly string[]): void {
    if (problems.length > 0) {
      throw new Error(`EC2 would refuse ${kind} ${name}:\n${problems.join("\n")}`);
    }
  }

  #missing(inputs: Properties): string[] {
    return references(inputs)
      .filter((id) => this.state.resources[id] === undefined)
      .map((id) => `${id} does not exist`);
  }

  #users(id: string): Ec2Resource[] {
    return Object.values(this.state.resources).filter(
      (other) => other.id !== id && references(other.inputs).includes(id),
    );
  }

  /** Removes a deleted interface's Elastic IPs from it. */
  #disassociate(interfaceId: string): void {
    for (const { id, inputs } of this.all("EipAssociation")) {
      if (inputs.networkInterfaceId === interfaceId) {
        delete this.state.resources[id];
      }
    }
  }

  /** Does what the fallback gateway's function does on its last call. */
  #giveRoutesBack(functionName: Value): void {
    const called = this.all("Function").find(({ inputs }) => inputs.name === functionName);
    const environment = called?.inputs.environment as { variables: { SETTINGS: string } } | undefined;
    const { natGatewayId, networkInterfaceId } = JSON.parse(environment?.variables.SETTINGS ?? "{}");
    for (const { id, kind, inputs: led } of this.all("Route")) {
      if (led.natGatewayId === natGatewayId) {
        const { routeTableId = null, destinationCidrBlock = null } = led;
        const inputs = { routeTableId, destinationCidrBlock, networkInterfaceId };
        this.state.resources[id] = { id, kind, inputs, outputs: { ...inputs, id } };
      }
    }
  }

  /** Where a subnet's route table sends 0.0.0.0/0. */
  defaultRoute(subnetId: Value | undefined): Properties | undefined {
    const association = this.all("RouteTableAssociation").find(({ inputs }) => inputs.subnetId === subnetId);
    return this.all("Route").find(
      ({ inputs }) =>
        inputs.routeTableId === association?.inputs.routeTableId &&
        inputs.destinationCidrBlock === "0.0.0.0/0",
    )?.inputs;
  }

  #outputs(kind: string, id: string, number: number, inputs: Properties): Properties {
    const region = "us-east-1";
    const common = { ...inputs, id, region, arn: `arn:aws:ec2:${region}:111122223333:${id}` };
    const address = publicAddress(id);
    switch (kind) {
      case "Eip":
        return { ...common, allocationId: id, publicIp: address };
      case "NetworkInterface":
        return { ...common, ...privateAddresses(this, inputs) };
      case "Instance":
        return machineOutputs(this, number, common, inputs);
      case "NatGateway":
        return { ...common, regionalNatGatewayAddresses: [{ publicIp: address }] };
      case "LaunchTemplate":
        return { ...common, ...nextVersion({}, inputs) };
      case "Group":
        // Its machine stays until a refresh of the group ends it, for which nobody waits.
        return { ...common, primaryNetworkInterfaceId: interfaceOf(templateOf(this, inputs)) };
      default:
        return common;
    }
  }
}

/** Whether a private subnet's route may have this target. */
function isTarget(kind: string): boolean {
  return kind === "NetworkInterface" || kind === "NatGateway";
}

function kindOf(token: string): string {
  return token.split(":").at(-1) as string;
}

function references(value: Value | undefined): string[] {
  if (typeof value === "string") {
    return ID.test(value) ? [value] : [];
  }
  return typeof value === "object" && value !== null ? Object.values(value).flatMap(references) : [];
}
