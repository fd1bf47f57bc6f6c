/** A NAT instance `n` in somebody's VPC, against mocks. */
import type { NatInstanceArgs } from "../../../components/aws/nat-args.ts";
import { NatInstance } from "../../../components/aws/nat-instance.ts";
import { existing, type Mocked, mocked } from "./mocks.ts";
import { unpacked } from "./unpacked.ts";

/** Where it is, and whom it serves. */
export const place = {
  vpcId: existing.vpcId,
  subnetId: existing.subnetId,
  privateRouteTableIds: [existing.privateRouteTableId],
  privateCidrs: ["10.0.1.0/24"],
};

/** Who may log in. */
export const ssh = {
  key: { publicKey: "ssh-ed25519 key", privateKey: "key" },
  allowedCidrs: ["203.0.113.7/32"],
};

/** @throws the first refusal */
export function natInstance(args: Partial<NatInstanceArgs> = {}): Promise<Mocked<NatInstance>> {
  return mocked(() => new NatInstance("n", { ...place, ...args }));
}

/** Compressed user data, as EC2 takes it. */
export function packedUserData(stack: Mocked<unknown>, machine = "n-nat-machine"): Buffer {
  return Buffer.from(stack.inputs("Instance", machine).userDataBase64, "base64");
}

/** {@link packedUserData} as cloud-init reads it. */
export function userData(stack: Mocked<unknown>, machine = "n-nat-machine"): string {
  return unpacked(packedUserData(stack, machine));
}

/** What a role's policy allows. */
// biome-ignore lint/suspicious/noExplicitAny: read by tests
export function statements(stack: Mocked<unknown>, policy: string): any[] {
  return JSON.parse(stack.inputs("RolePolicy", policy).policy).Statement;
}
