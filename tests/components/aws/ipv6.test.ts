/** NAT instances that forward IPv6, and translate for hosts that have nothing else. */
import { expect, it } from "vitest";
import { natInstance, place, userData } from "../../helpers/aws-standin/nat.ts";

it("one that translates installs the translator, and takes in and lets out IPv6", async () => {
  const privateIpv6Cidrs = ["2001:db8:1:1::/64"];
  const stack = await natInstance({ nat: { privateIpv6Cidrs, nat64: true } });
  expect(userData(stack)).toMatch(/^ *packages="python3 nftables .*tayga"$/m);
  const { ingress, egress } = stack.inputs("SecurityGroup", "n-nat-sg");
  expect(ingress.at(-1)).toMatchObject({ cidrBlocks: place.privateCidrs, ipv6CidrBlocks: privateIpv6Cidrs });
  expect(egress).toMatchObject([{ cidrBlocks: ["0.0.0.0/0"], ipv6CidrBlocks: ["::/0"] }]);
  const plain = await natInstance();
  expect(plain.inputs("SecurityGroup", "n-nat-sg").egress[0]).not.toHaveProperty("ipv6CidrBlocks");
});
