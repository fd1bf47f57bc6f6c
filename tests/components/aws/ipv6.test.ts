/** NAT instances that forward IPv6, and translate for hosts that have nothing else. */
import { gunzipSync } from "node:zlib";
import { expect, it } from "vitest";
import { NatInstance, type NatInstanceArgs } from "../../../components/aws/index.ts";
import { existing, mocked } from "../../helpers/aws-standin/mocks.ts";

const place = {
  vpcId: existing.vpcId,
  subnetId: existing.subnetId,
  privateRouteTableIds: [existing.privateRouteTableId],
  privateCidrs: ["10.0.1.0/24"],
};

async function nat(args: Partial<NatInstanceArgs>) {
  return mocked(() => new NatInstance("n", { ...place, ...args }));
}

it("one that translates installs the translator, and takes in and lets out IPv6", async () => {
  const privateIpv6Cidrs = ["2001:db8:1:1::/64"];
  const stack = await nat({ nat: { privateIpv6Cidrs, nat64: true } });
  const { userDataBase64 } = stack.inputs("Instance", "n-nat");
  expect(gunzipSync(Buffer.from(userDataBase64, "base64")).toString()).toMatch(
    /^ *packages="python3 nftables .*tayga"$/m,
  );
  const { ingress, egress } = stack.inputs("SecurityGroup", "n-nat-sg");
  expect(ingress.at(-1)).toMatchObject({ cidrBlocks: place.privateCidrs, ipv6CidrBlocks: privateIpv6Cidrs });
  expect(egress).toMatchObject([{ cidrBlocks: ["0.0.0.0/0"], ipv6CidrBlocks: ["::/0"] }]);
  const plain = await nat({});
  expect(plain.inputs("SecurityGroup", "n-nat-sg").egress[0]).not.toHaveProperty("ipv6CidrBlocks");
});
