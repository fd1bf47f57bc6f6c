/**
 * Arguments of NAT instances from a program without types: each mistake is refused with the argument's name and the
 * fix. Rules over several arguments: tests/components.
 */
import * as pulumi from "@pulumi/pulumi";
import { describe, expect, it } from "vitest";
import { fckNatSchema, natInstanceSchema as onAws } from "../../../components/aws/nat-args.ts";
import { natInstanceSchema as onAzure } from "../../../components/azure/nat-args.ts";
import { checkArgs } from "../../../components/shared/args-schema.ts";

const aws = {
  vpcId: "vpc-1",
  subnetId: pulumi.output("subnet-1"),
  privateRouteTableIds: ["rtb-1"],
  privateCidrs: ["10.0.1.0/24"],
};
const azure = {
  resourceGroupName: "rg",
  location: "japaneast",
  subnetId: "s",
  privateCidrs: ["10.0.1.0/24"],
};

describe("arguments that are right", () => {
  it.each<[string, typeof onAws | typeof onAzure | typeof fckNatSchema, object]>([
    ["aws", onAws, aws],
    ["aws, of outputs", onAws, { ...aws, privateCidrs: pulumi.output(["10.0.1.0/24"]), ssh: undefined }],
    ["aws, an output in a list", onAws, { ...aws, privateCidrs: [pulumi.output("10.0.1.0/24")] }],
    ["aws, a promise", onAws, { ...aws, instanceType: Promise.resolve("t4g.nano"), cloudWatch: true }],
    ["fck-nat", fckNatSchema, { ...aws, imageName: "fck-nat" }],
    ["azure", onAzure, { ...azure, nat: { dataPlane: "nftables" } }],
  ])("%s", (_, schema, args) => {
    expect(() => checkArgs("NatInstance", schema, args)).not.toThrow();
  });
});

describe("a slip is refused by name", () => {
  const of = "is not an argument of NatInstance";
  const address = "203.0.113.7";
  it.each<[object, string]>([
    [{ privateCidrs: "10.0.1.0/24" }, 'write ["10.0.1.0/24"]'],
    [{ privateCidrs: ["10.0.1.0/24", 5] }, "privateCidrs[1]: expected a string; got 5"],
    [{ autoheal: true }, `autoheal: ${of}; did you mean autoHeal?`],
    [{ instanceTypes: "t4g.nano" }, "did you mean instanceType?"],
    [{ colour: "red" }, `colour: ${of}; remove it`],
    [{ nat: { dataplane: "nftables" } }, `nat.dataplane: ${of}; did you mean dataPlane?`],
    [
      { publicIps: [{ id: "eipalloc-1", adress: address }] },
      `publicIps[0].adress: ${of}; did you mean address?`,
    ],
    [
      { publicIps: [{ allocationId: "eipalloc-1" }] },
      `publicIps[0].allocationId: ${of}; remove it: publicIps[0] has id, address`,
    ],
    [
      { cloudWatch: { alarms: { action: ["arn:x"] } } },
      `cloudWatch.alarms.action: ${of}; did you mean actions?`,
    ],
    [{ publicIps: [{ id: 3, address }] }, "publicIps[0].id: expected a string; got 3"],
    [
      { spot: { onDemandFallback: { retryHour: 4 } } },
      `spot.onDemandFallback.retryHour: ${of}; did you mean retryHourUtc?`,
    ],
    [{ nat: { dataPlane: "xdp" } }, "nat.dataPlane: expected one of iptables, nftables, flowtable"],
    [{ publicIpCount: "2" }, 'publicIpCount: must be a whole number from 1 to 50; got "2"'],
    [{ subnetId: 1 }, 'subnetId: expected a string; got 1; write "1"'],
    [
      { highAvailability: true },
      "highAvailability: expected an object; got true; highAvailability has standbySubnetId, advertisementMs, check",
    ],
    [{ subnetId: null }, "subnetId: expected a string; got null"],
    [{ subnetId: ["a"] }, "subnetId: expected a string; got a list"],
    [{ ssh: "me" }, 'ssh: must be { key, allowedCidrs }; got "me"'],
  ])("%j", (change, message) => {
    expect(() => checkArgs("NatInstance", onAws, { ...aws, ...change })).toThrow(message);
  });

  it("no arguments", () => {
    expect(() => checkArgs("NatInstance", onAws, undefined)).toThrow(
      "vpcId: is missing; NatInstance needs it",
    );
  });

  it.each<[string, object, string]>([
    ["an output", { publicIpCount: pulumi.output(2) }, "must be a whole number from 1 to 64; got an output"],
    ["an output for a list", { publicIps: pulumi.output([]) }, "expected a list; got an output"],
    ["a vast count", { publicIpCount: 2 ** 53 }, "must be a whole number from 1 to 64; got 9007199254740992"],
  ])("%s, in one line", (_, args, reason) => {
    const [name] = Object.keys(args);
    expect(() => checkArgs("NatInstance", onAzure, { ...azure, ...args })).toThrow(
      expect.objectContaining({ reason: `${name}: ${reason}` }),
    );
  });

  it("names every problem, and the first as the property", () => {
    const error = (() => {
      try {
        return checkArgs("NatInstance", onAzure, { ...azure, size: 5, location: undefined, zones: ["1"] });
      } catch (thrown) {
        return thrown;
      }
    })();
    expect(error).toBeInstanceOf(pulumi.InputPropertyError);
    const { propertyPath, reason } = error as pulumi.InputPropertyError;
    expect(propertyPath).toBe("location");
    expect(reason.split("\n")).toEqual([
      "location: is missing; NatInstance needs it",
      'size: expected a string; got 5; write "5"',
      "zones: is not an argument of NatInstance; did you mean zone?",
    ]);
  });

  it("names arguments that are not an object", () => {
    expect(() => checkArgs("NatInstance", onAws, [])).toThrow("args: expected an object; got a list");
  });
});
