/** An organisation's policies apply to all resources: roles in a path and within a boundary, tags, keys, partitions. */
import { describe, expect, it } from "vitest";
import { NatInstance, type NatInstanceArgs, Network } from "../../../components/aws/index.ts";
import { existing, type Mocked, mocked } from "../../helpers/aws-standin/mocks.ts";
import { natInstance, place, statements } from "../../helpers/aws-standin/nat.ts";
import { resourceDeclaration } from "../../helpers/aws-standin/sdk-types.ts";

/** Each way to get roles; together they make all kinds of resources of a NAT instance. */
const kinds: readonly (readonly [kind: string, args: Partial<NatInstanceArgs>])[] = [
  ["a pair", { highAvailability: {}, cloudWatch: true }],
  ["a machine with metrics", { cloudWatch: true }],
  ["a machine with a NAT gateway to fall back to", { autoHeal: true, natGatewayFallback: true }],
  ["spot instances with a fallback", { autoHeal: true, spot: { onDemandFallback: {} } }],
  ["a machine that Systems Manager waits for", { iamInstanceProfile: "mine" }],
];

const tags = { team: "network" };
const untagged = ({ resources }: Mocked<unknown>) =>
  resources
    .filter(({ type }) => type.startsWith("aws:") && resourceDeclaration(type).arguments.has("tags"))
    .filter(({ inputs }) => !JSON.stringify(inputs.tags ?? {}).includes("network"))
    .map(({ type, name }) => `${type} ${name}`);

it("a network has the customer's tags on everything taggable", async () => {
  const stack = await mocked(() => {
    const network = new Network("net", { cidr: "10.0.0.0/16", zone: "us-east-1a", tags });
    network.publicSubnet("public", "10.0.0.0/24");
    network.privateSubnet("apps", "10.0.1.0/24");
  });
  expect(untagged(stack)).toEqual([]);
});

describe.each(kinds)("%s", (_, args) => {
  it("has the customer's tags on everything taggable", async () => {
    expect(untagged(await natInstance({ ...args, tags }))).toEqual([]);
  });

  it("has its roles in the given path and boundary, and none by default", async () => {
    const permissionsBoundary = "arn:aws:iam::111122223333:policy/boundary";
    const made = await natInstance({ ...args, roles: { path: "/network/", permissionsBoundary } });
    const plain = await natInstance(args);
    const roles = (stack: Mocked<unknown>, type: string) =>
      stack.resources.filter((one) => one.type.endsWith(`:${type}`)).map(({ inputs }) => inputs);
    for (const role of roles(made, "Role")) {
      expect(role).toMatchObject({ path: "/network/", permissionsBoundary });
    }
    for (const profile of roles(made, "InstanceProfile")) {
      expect(profile.path).toBe("/network/");
    }
    for (const one of [...roles(plain, "Role"), ...roles(plain, "InstanceProfile")]) {
      expect(Object.keys(one)).not.toContain("path");
      expect(Object.keys(one)).not.toContain("permissionsBoundary");
    }
  });

  it("has its disk encrypted with the given key", async () => {
    const kmsKeyId = "arn:aws:kms:us-east-1:111122223333:key/one";
    const { resources } = await natInstance({ ...args, volume: { kmsKeyId } });
    const disks = resources.flatMap(({ type, inputs }) =>
      type.endsWith(":Instance")
        ? [inputs.rootBlockDevice]
        : type.endsWith(":LaunchTemplate")
          ? [inputs.blockDeviceMappings[0].ebs]
          : [],
    );
    expect(disks.length).toBeGreaterThan(0);
    for (const disk of disks) {
      expect(disk.kmsKeyId).toBe(kmsKeyId);
      expect(String(disk.encrypted)).toBe("true");
    }
  });
});

describe.each([
  ["aws-us-gov", "ec2.amazonaws.com"],
  ["aws-cn", "ec2.amazonaws.com.cn"],
])("in the partition %s", (partition, service) => {
  it("roles name the partition's own resources and service", async () => {
    const { privateRouteTableId } = existing;
    const pair = await mocked(() => new NatInstance("n", { ...place, highAvailability: {} }), partition);
    const arns = statements(pair, "n-pair-policy").flatMap(({ Resource }) => Resource as string[]);
    expect(arns).toContain(`arn:${partition}:ec2:*:*:route-table/${privateRouteTableId}`);
    expect(arns.filter((arn) => arn.startsWith("arn:aws:"))).toEqual([]);
    const { assumeRolePolicy } = pair.inputs("Role", "n-pair-role");
    expect(JSON.parse(assumeRolePolicy).Statement[0].Principal).toEqual({ Service: service });

    const falling = { ...place, autoHeal: true, natGatewayFallback: true } as const;
    const fallback = await mocked(() => new NatInstance("n", falling), partition);
    const tables = statements(fallback, "n-fallback-policy").flatMap(({ Resource }) => Resource as string[]);
    expect(tables).toContain(`arn:${partition}:ec2:*:*:route-table/${privateRouteTableId}`);
  });
});
