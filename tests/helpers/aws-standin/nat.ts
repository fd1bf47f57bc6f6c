/** A NAT instance `n` in an existing VPC, with mocks. */
import type { NatInstanceArgs } from "../../../components/aws/nat-args.ts";
import { NatInstance } from "../../../components/aws/nat-instance.ts";
import { unpacked } from "../unpacked.ts";
import { existing, type Mocked, mocked } from "./mocks.ts";

export const place = {
  vpcId: existing.vpcId,
  subnetId: existing.subnetId,
  privateRouteTableIds: [existing.privateRouteTableId],
  privateCidrs: ["10.0.1.0/24"],
};

export const ssh = {
  key: { publicKey: "ssh-ed25519 key", privateKey: "key" },
  allowedCidrs: ["203.0.113.7/32"],
};

/** @throws the first refusal */
export function natInstance(args: Partial<NatInstanceArgs> = {}): Promise<Mocked<NatInstance>> {
  return mocked(() => new NatInstance("n", { ...place, ...args }));
}

export function packedUserData(stack: Mocked<unknown>, machine = "n-nat-machine"): Buffer {
  return Buffer.from(stack.inputs("Instance", machine).userDataBase64, "base64");
}

/** {@link packedUserData} of a machine that heals itself. */
export function templateData(stack: Mocked<unknown>): Buffer {
  return Buffer.from(stack.inputs("LaunchTemplate", "n-nat-template").userData, "base64");
}

/** {@link packedUserData} as cloud-init reads it. */
export function userData(stack: Mocked<unknown>, machine = "n-nat-machine"): string {
  return unpacked(packedUserData(stack, machine));
}

/** The set-up of a pair's machine, which it gets once it is reached: over SSH, or by Systems Manager. */
export function setUpScript(stack: Mocked<unknown>, machine: string): string {
  const { inputs } = stack.resources.find(({ name }) => name === `${machine}-set-up`) ?? {};
  const packed = /^export SET_UP=(.*)/.exec(inputs?.parameters?.commands ?? "")?.[1];
  return packed === undefined ? inputs?.stdin : unpacked(Buffer.from(packed, "base64"));
}

// biome-ignore lint/suspicious/noExplicitAny: read by tests
export function statements(stack: Mocked<unknown>, policy: string): any[] {
  return JSON.parse(stack.inputs("RolePolicy", policy).policy).Statement;
}
