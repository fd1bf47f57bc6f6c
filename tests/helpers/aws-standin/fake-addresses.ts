/** Addresses that the fake EC2 assigns. */
import { createHash } from "node:crypto";
import { nthAddress } from "../../../components/shared/cidr.ts";
import type { Properties, Value } from "../../../tools/command-standin/shared/envelopes.ts";
import type { FakeEc2 } from "./fake-ec2.ts";

/** AWS reserves the first four. */
const FIRST_FREE = 4;

export function privateAddresses(
  ec2: FakeEc2,
  { subnetId, privateIps, privateIpsCount }: Properties,
): Properties {
  const given = privateIps as string[] | undefined;
  const count = 1 + Number(privateIpsCount ?? 0);
  const all = given ?? freeAddresses(ec2, subnetId, ec2.state.made, count);
  // EC2 returns them in no order.
  return { privateIp: all[0] as string, privateIps: all.toReversed() };
}

/** Characters that sort before most of an interface's own addresses, as EC2 assigns them in no order. */
const LATER_ONES = 95;

/**
 * An interface's private addresses after their number changed. The caller cannot choose which ones go: the provider names
 * the first of a set (`resourceNetworkInterfaceUpdate` of terraform-provider-aws).
 */
export function updatedAddresses(
  ec2: FakeEc2,
  { privateIp, privateIps }: Properties,
  inputs: Properties,
): Properties {
  const count = 1 + Number(inputs.privateIpsCount ?? 0);
  const had = (privateIps ?? []) as string[];
  if (inputs.privateIps !== undefined || had.length === count) {
    return {};
  }
  const secondary = had.filter((one) => one !== privateIp);
  const others = secondary.slice(Math.max(0, secondary.length - (count - 1)));
  const more = freeAddresses(ec2, inputs.subnetId, LATER_ONES, count - 1 - others.length);
  return { privateIps: [...others, ...more, privateIp as string] };
}

/**
 * Unused addresses of a subnet.
 *
 * @param start Seed for the first address's number.
 */
export function freeAddresses(
  ec2: FakeEc2,
  subnetId: Value | undefined,
  start: number,
  count: number,
): string[] {
  const cidr = String(subnetId === undefined ? "10.255.0.0/24" : ec2.get(subnetId).inputs.cidrBlock);
  const taken = new Set(ec2.all("NetworkInterface").flatMap(({ outputs }) => outputs.privateIps as string[]));
  const all = Array.from({ length: 200 }, (_, index) =>
    nthAddress(cidr, FIRST_FREE + 1 + ((start + index) % 200)),
  );
  return all.filter((address) => !taken.has(address)).slice(0, count);
}

export function publicAddress(id: string): string {
  const [a = 0, b = 0, c = 0] = createHash("sha256").update(id).digest();
  return `52.${a}.${b}.${1 + (c % 250)}`;
}
