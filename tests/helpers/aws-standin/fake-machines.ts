/** Machines of the fake EC2, and the interfaces that EC2 creates and deletes with them. */
import type { Properties, Value } from "../../../tools/command-standin/shared/envelopes.ts";
import { freeAddresses, publicAddress, updatedAddresses } from "./fake-addresses.ts";
import type { Ec2Resource, FakeEc2 } from "./fake-ec2.ts";

/** EC2's outputs for a new machine, besides its inputs. @param number The machine's number among all resources made. */
export function machineOutputs(
  ec2: FakeEc2,
  number: number,
  common: Properties,
  inputs: Properties,
): Properties {
  const { subnetId, primaryNetworkInterface, associatePublicIpAddress, instanceType } = inputs;
  return {
    ...common,
    availabilityZone: (subnetId && ec2.get(subnetId).inputs.availabilityZone) ?? null,
    privateIp: inputs.privateIp ?? (freeAddresses(ec2, subnetId, number, 1)[0] as string),
    publicIp: associatePublicIpAddress === true ? publicAddress(String(common.id)) : "",
    primaryNetworkInterfaceId:
      (primaryNetworkInterface as Properties | undefined)?.networkInterfaceId ??
      `eni-f${number.toString(16).padStart(16, "0")}`,
    // Default of a T3 or T4g.
    ...(/^t[34]/.test(String(instanceType)) ? { creditSpecification: { cpuCredits: "unlimited" } } : {}),
  };
}

/** Id of the interface that EC2 creates with a machine without a given one, and deletes with it. */
export function madeWith({ kind, inputs, outputs }: Ec2Resource): string | undefined {
  return kind === "Instance" && inputs.primaryNetworkInterface === undefined
    ? String(outputs.primaryNetworkInterfaceId)
    : undefined;
}

export function ownInterface({ inputs, outputs }: Ec2Resource): Ec2Resource {
  const { subnetId = null, sourceDestCheck = true } = inputs;
  const { privateIp = null, primaryNetworkInterfaceId } = outputs;
  return {
    id: String(primaryNetworkInterfaceId),
    kind: "NetworkInterface",
    inputs: { subnetId, sourceDestCheck },
    outputs: { privateIp, privateIps: [privateIp] },
  };
}

/** Shows a machine's public address: the last associated Elastic IP replaces the one from boot. */
export function showAddress(
  ec2: FakeEc2,
  kind: string,
  { networkInterfaceId, allocationId }: Properties,
): void {
  const machine = ec2
    .all("Instance")
    .find(({ outputs }) => outputs.primaryNetworkInterfaceId === networkInterfaceId);
  if (kind === "EipAssociation" && machine !== undefined) {
    const publicIp = ec2.state.resources[String(allocationId)]?.outputs.publicIp ?? null;
    ec2.state.resources[machine.id] = { ...machine, outputs: { ...machine.outputs, publicIp } };
  }
}

/** A launch template's versions plus one; earlier ones never change. */
export function nextVersion({ versions = [] }: Properties, inputs: Properties): Properties {
  const all = [...(versions as Properties[]), inputs];
  return { versions: all, latestVersion: all.length };
}

export function templateOf(ec2: FakeEc2, { launchTemplate, mixedInstancesPolicy }: Properties): Properties {
  const mixed = (mixedInstancesPolicy as Properties | undefined)?.launchTemplate as Properties | undefined;
  const named = (mixed?.launchTemplateSpecification ?? launchTemplate) as Properties;
  const { versions } = ec2.get(named.launchTemplateId ?? named.id).outputs;
  return (versions as Properties[])[Number(named.version) - 1] as Properties;
}

export function interfaceOf({ networkInterfaces }: Properties): Value {
  return (networkInterfaces as Properties[])[0]?.networkInterfaceId ?? null;
}

export function updatedOutputs(
  ec2: FakeEc2,
  kind: string,
  outputs: Properties,
  inputs: Properties,
): Properties {
  switch (kind) {
    case "LaunchTemplate":
      return nextVersion(outputs, inputs);
    case "NetworkInterface":
      return updatedAddresses(ec2, outputs, inputs);
    default:
      return {};
  }
}
