import { expect, it } from "vitest";
import { withoutVersionedAliases } from "../../../stacks/versioned-aliases.ts";

const transform = (opts: object) =>
  withoutVersionedAliases({ type: "t", name: "n", props: {}, opts } as never);

it("removes types with an API version, and no other alias", () => {
  const kept = [
    { type: "azure-native:network:NatGateway" },
    { type: "azure-native:network/gateways:NatGateway" },
    { type: "aws:ec2/v20230201:Instance" },
    { name: "before" },
    { parent: "urn:pulumi:dev::p::azure-native:network/v20230201:Subnet::n" },
    "urn:pulumi:dev::p::azure-native:network/v20230201:Subnet::n",
  ];
  const versioned = [
    { type: "azure-native:network/v20230201:NatGateway" },
    { type: "azure-native:network/v20180701preview:NatGateway" },
  ];
  expect(transform({ aliases: [...versioned, ...kept], protect: true })).toEqual({
    props: {},
    opts: { aliases: kept, protect: true },
  });
  expect(transform({})).toBeUndefined();
});
