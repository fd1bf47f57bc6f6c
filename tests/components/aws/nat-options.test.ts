/**
 * NAT machines of your own stack: without logins, with your own addresses, groups, profile and disk. Not proved: that
 * Systems Manager runs the wait, and how long that takes.
 */
import { Provider } from "@pulumi/aws/provider.js";
import * as pulumi from "@pulumi/pulumi";
import { describe, expect, it } from "vitest";
import {
  FckNat,
  NatGatewayEgress,
  NatInstance,
  type NatInstanceArgs,
  NatInstancePerZone,
} from "../../../components/aws/index.ts";
import type { NatOptions } from "../../../components/nat-instance/index.ts";
import { imageId } from "../../helpers/aws-standin/fake-functions.ts";
import { existing, mocked } from "../../helpers/aws-standin/mocks.ts";
import {
  natInstance,
  packedUserData,
  place,
  ssh,
  templateData,
  userData,
} from "../../helpers/aws-standin/nat.ts";
import { known } from "../ends.ts";

const { key } = ssh;
const ready = (registered: readonly { type: string; name: string }[]) =>
  registered.filter(({ name }) => name === "n-nat-ready").map(({ type }) => type.split(":").at(-1));

/** Sources whose packets to port 22 pass the group. */
const logins = (stack: { inputs(type: string, name: string): { ingress?: unknown } }) =>
  (
    stack.inputs("SecurityGroup", "n-nat-sg").ingress as {
      protocol: string;
      fromPort: number;
      toPort: number;
      cidrBlocks: string[];
    }[]
  ).flatMap(({ protocol, fromPort, toPort, cidrBlocks }) =>
    protocol === "tcp" && fromPort <= 22 && toPort >= 22 ? [cidrBlocks] : [],
  );

describe("a NAT machine without ssh", () => {
  it("has no login, and is ready when it runs", async () => {
    const stack = await natInstance({});
    expect(ready(stack.resources)).toEqual([]);
    expect(logins(stack)).toEqual([place.privateCidrs]);
    const stateful = await natInstance({ securityGroup: "stateful" });
    const [rule, ...others] = stateful.inputs("SecurityGroup", "n-nat-sg").ingress;
    expect(others).toEqual([]);
    expect(rule).toMatchObject({ protocol: "-1", cidrBlocks: place.privateCidrs });
    // Packets of clients to the internet's port 22 pass the group; the machine itself refuses them.
    expect(userData(stack)).not.toContain("tcp dport 22 accept");
    expect(userData(stack)).not.toContain("ssh_authorized_keys");
    expect(stack.result.hosts).toEqual([]);
    expect(() => stack.result.host.connection).toThrow("n-nat has no login; give its component ssh");
  });

  it.each([false, true])(
    "but with an instance profile is waited for by Systems Manager; autoHeal %s",
    async (autoHeal) => {
      const stack = await natInstance({ iamInstanceProfile: "managed", autoHeal });
      expect(ready(stack.resources)).toEqual(["Association"]);
      const { name, targets, parameters, waitForSuccessTimeoutSeconds } = stack.inputs(
        "Association",
        "n-nat-ready",
      );
      expect(name).toBe("AWS-RunShellScript");
      const machine = autoHeal ? `i-of-${stack.id("Group", "n-nat")}` : stack.id("Instance", "n-nat-machine");
      expect(targets).toEqual([{ key: "InstanceIds", values: [machine] }]);
      expect(parameters.commands).toContain("cloud-init status --wait");
      expect(Number(waitForSuccessTimeoutSeconds)).toBeGreaterThan(Number(parameters.executionTimeout));
    },
  );

  it("with ssh from nowhere has no rule for it", async () => {
    const stack = await natInstance({ ssh: { key, allowedCidrs: [] } });
    expect(logins(stack)).toEqual([place.privateCidrs]);
  });
});

describe("fck-nat that is not observed", () => {
  it("is not waited for by logins, which it may refuse", async () => {
    const stack = await mocked(() => new FckNat("n", { ...place, ssh, observed: false }));
    expect(ready(stack.resources)).toEqual([]);
    expect(stack.result.hosts).toEqual([]);
    // Its operator may still try to log in.
    expect(stack.inputs("SecurityGroup", "n-nat-sg").ingress).toHaveLength(2);
  });

  it("is the same without ssh, and cannot be observed", async () => {
    const stack = await mocked(() => new FckNat("n", place));
    expect(ready(stack.resources)).toEqual([]);
    await expect(mocked(() => new FckNat("n", { ...place, observed: true }))).rejects.toThrow(
      /^observed: a machine is observed by logging in to it; give ssh too/,
    );
  });

  it("is waited for by login when it is observed", async () => {
    const stack = await mocked(() => new FckNat("n", { ...place, ssh }));
    expect(ready(stack.resources)).toEqual(["Command"]);
  });
});

describe("existing addresses", () => {
  const own = { id: "eipalloc-12345678", address: "198.51.100.7" };

  it.each([
    ["NatInstance", NatInstance],
    ["FckNat", FckNat],
  ])("of a %s are used instead of new ones", async (_, Kind) => {
    const stack = await mocked(() => new Kind("n", { ...place, ssh, publicIps: [own] }));
    expect(stack.aws().filter((resource) => resource.startsWith("Eip "))).toEqual([]);
    expect(stack.inputs("EipAssociation", "n-nat-eni-1").allocationId).toBe(own.id);
    const [address] = stack.result.expectedSourceIps;
    expect(await known(address as pulumi.Output<string>)).toBe(own.address);
  });

  it.each<[Partial<NatInstanceArgs>, RegExp]>([
    [{ publicIps: [own], publicIpCount: 1 }, /^publicIps: publicIpCount and publicIps exclude each other/],
    [{ publicIps: [] }, /^publicIps: must have from 1 to 50 entries; got 0/],
  ])("%j is refused", async (args, message) => {
    await expect(natInstance({ ssh, ...args })).rejects.toThrow(message);
  });

  it("of fck-nat are one", async () => {
    const two = { ...place, ssh, publicIps: [own, own] };
    await expect(mocked(() => new FckNat("n", two))).rejects.toThrow(
      /^publicIps: must have one entry; got 2/,
    );
  });
});

describe("further options of EC2", () => {
  const chosen = {
    ssh,
    iamInstanceProfile: "managed",
    creditMode: "standard",
    volume: { sizeGib: 20, kmsKeyId: "arn:aws:kms:us-east-1:111122223333:key/1" },
    securityGroupIds: ["sg-12345678"],
    tags: { team: "network" },
  } as const;

  it("reaches the instance, and its disk's tags", async () => {
    const stack = await natInstance(chosen);
    expect(stack.inputs("Instance", "n-nat-machine")).toMatchObject({
      iamInstanceProfile: "managed",
      creditSpecification: { cpuCredits: "standard" },
      rootBlockDevice: { encrypted: true, volumeSize: 20, kmsKeyId: chosen.volume.kmsKeyId },
      volumeTags: { Name: "n-nat-machine", team: "network" },
    });
    const groups = stack.inputs("Instance", "n-nat-machine").vpcSecurityGroupIds;
    expect(groups).toEqual([stack.id("SecurityGroup", "n-nat-sg"), "sg-12345678"]);
  });

  it("reaches the machines of a group that heals itself", async () => {
    const stack = await natInstance({ ...chosen, autoHeal: true });
    const template = stack.inputs("LaunchTemplate", "n-nat-template");
    expect(template).toMatchObject({
      iamInstanceProfile: { name: "managed" },
      creditSpecification: { cpuCredits: "standard" },
      tagSpecifications: [{ resourceType: "volume", tags: { Name: "n-nat", team: "network" } }],
    });
    expect(template.blockDeviceMappings[0].ebs).toMatchObject({ volumeSize: 20, encrypted: "true" });
  });

  it("is left to EC2 by default", async () => {
    const { inputs } = await natInstance({ ssh });
    const { rootBlockDevice, ...instance } = inputs("Instance", "n-nat-machine");
    expect(rootBlockDevice).toEqual({ encrypted: true });
    expect(instance).not.toHaveProperty("creditSpecification");
    expect(instance).not.toHaveProperty("iamInstanceProfile");
  });
});

describe("a group of one", () => {
  const group = async (args: Partial<NatInstanceArgs>) => {
    const stack = await natInstance({ ssh, autoHeal: true, ...args });
    return {
      group: stack.inputs("Group", "n-nat"),
      template: stack.inputs("LaunchTemplate", "n-nat-template"),
      stack,
    };
  };

  it("launches spot instances of several types", async () => {
    const { group: made, stack } = await group({ spot: { instanceTypes: ["t4g.small"] } });
    const { mixedInstancesPolicy, launchTemplate } = made;
    expect(launchTemplate).toBeUndefined();
    expect(mixedInstancesPolicy.instancesDistribution).toMatchObject({
      onDemandBaseCapacity: 0,
      onDemandPercentageAboveBaseCapacity: 0,
    });
    expect(mixedInstancesPolicy.launchTemplate).toMatchObject({
      launchTemplateSpecification: { launchTemplateId: stack.id("LaunchTemplate", "n-nat-template") },
      overrides: [{ instanceType: "t4g.micro" }, { instanceType: "t4g.small" }],
    });
  });

  it("is patched by replacement: the newest image at each launch, after the old machine's end", async () => {
    const { group: made, template, stack } = await group({ maximumLifetimeDays: 30 });
    expect(made.maxInstanceLifetime).toBe(30 * 24 * 3600);
    expect(made.instanceMaintenancePolicy).toEqual({ minHealthyPercentage: 0, maxHealthyPercentage: 100 });
    expect(template.imageId).toMatch(/^resolve:ssm:\/aws\/service\/canonical\/ubuntu\/.*\/arm64\/hvm/);
    const keepsImage = (one: typeof stack) => one.resources.some(({ name }) => name.endsWith("-image"));
    expect(keepsImage(stack)).toBe(false);
    const plain = await group({});
    expect(keepsImage(plain.stack)).toBe(true);
    expect(plain.template.imageId).toMatch(/^ami-/);
    expect(plain.group).not.toHaveProperty("maxInstanceLifetime");
  });

  it.each<[Partial<NatInstanceArgs>, RegExp]>([
    [{ autoHeal: false, spot: {} }, /^spot: needs another machine to take over; set autoHeal too/],
    [{ autoHeal: false, maximumLifetimeDays: 7 }, /^maximumLifetimeDays: needs another machine/],
    [
      { spot: { onDemandFallback: { retryHourUtc: 24 } } },
      /^spot.onDemandFallback.retryHourUtc: must be a whole number from 0 to 23; got 24/,
    ],
    [{ maximumLifetimeDays: 366 }, /^maximumLifetimeDays: must be a whole number from 1 to 365; got 366/],
  ])("%j is refused", async (args, message) => {
    await expect(natInstance({ ssh, autoHeal: true, ...args })).rejects.toThrow(message);
  });
});

describe("route tables in an output", () => {
  const ids = () => pulumi.output([existing.privateRouteTableId, "rtb-23456780"]);

  it("get a route each, as many as announced", async () => {
    const stack = await natInstance({ ssh, privateRouteTableIds: ids(), privateRouteTableCount: 2 });
    const routed = ["n-default-1", "n-default-2"].map((name) => stack.inputs("Route", name).routeTableId);
    expect(routed).toEqual([existing.privateRouteTableId, "rtb-23456780"]);
  });

  it("cannot be counted by waiting for them", async () => {
    await expect(natInstance({ ssh, privateRouteTableIds: ids() })).rejects.toThrow(
      /^privateRouteTableCount: privateRouteTableIds is an output.*say how many ids it will hold/,
    );
  });

  it("in another number than announced are refused", async () => {
    const args = { ...place, ssh, privateRouteTableIds: ["rtb-1"], privateRouteTableCount: 2 };
    await expect(mocked(() => new NatInstance("n", args))).rejects.toThrow(
      /^privateRouteTableCount: is 2, but privateRouteTableIds holds 1/,
    );
  });
});

it("security groups may be an output, and the owner's script runs last", async () => {
  const stack = await natInstance({
    ssh,
    securityGroupIds: pulumi.output(["sg-12345678"]),
    extraScript: "#!/bin/sh\necho mine\n",
  });
  const groups = stack.inputs("Instance", "n-nat-machine").vpcSecurityGroupIds;
  expect(groups).toEqual([stack.id("SecurityGroup", "n-nat-sg"), "sg-12345678"]);
  expect(userData(stack)).toContain("echo mine");
});

it("a NAT instance per zone forwards for its own zone", async () => {
  const zones = {
    "us-east-1a": {
      subnetId: existing.subnetId,
      privateRouteTableIds: [existing.privateRouteTableId],
      privateCidrs: ["10.0.1.0/24"],
    },
    "us-east-1b": {
      subnetId: existing.subnetId,
      privateRouteTableIds: ["rtb-23456780"],
      privateCidrs: ["10.0.2.0/24"],
    },
  };
  const stack = await mocked(() => new NatInstancePerZone("n", { vpcId: existing.vpcId, ssh, zones }));
  for (const [zone, { privateCidrs, privateRouteTableIds }] of Object.entries(zones)) {
    const rules = stack.inputs("SecurityGroup", `n-${zone}-nat-sg`).ingress;
    expect(rules.at(-1).cidrBlocks).toEqual(privateCidrs);
    expect(stack.inputs("Route", `n-${zone}-default-${privateRouteTableIds[0]}`)).toMatchObject({
      routeTableId: privateRouteTableIds[0],
      networkInterfaceId: stack.outputs("Instance", `n-${zone}-nat-machine`).primaryNetworkInterfaceId,
    });
  }
  expect(stack.result.expectedSourceIps).toHaveLength(2);
  await expect(
    mocked(() => new NatInstancePerZone("n", { vpcId: existing.vpcId, ssh, zones: {} })),
  ).rejects.toThrow(/^zones: is empty/);
});

/** Every option of `nat` that goes with the others, so that a new one is added here. */
const everyOption: Required<Omit<NatOptions, "outInterface">> = {
  dataPlane: "flowtable",
  strict: true,
  portRange: { first: 10_000, last: 65_535 },
  portAllocation: "preserve",
  idleTimeouts: { tcp: 8000, tcpHalfClosed: 400, udp: 400, udpUnanswered: 130 },
  metricsDirectory: "/var/lib/prometheus/node-exporter",
  upgradeWindow: { at: "Sun 03:30", reboot: true },
  privateIpv6Cidrs: ["2001:db8:1:1::/64"],
  nat64: true,
  packageMirror: "https://mirror.example.com/ubuntu/",
  packageProxy: "http://10.9.0.1:3128",
  inbound: [{ protocol: "tcp", port: 9100, cidrs: ["10.0.9.0/24"] }],
  forward: [{ port: 443, to: "10.0.1.5:8443", from: ["198.51.100.0/24"] }],
};

it("with every option leaves 1,500 bytes of its user data for the owner's script", async () => {
  const { portRange: _, nat64: __, privateIpv6Cidrs: ___, forward: ____, ...ofPair } = everyOption;
  const all = { ssh, cloudWatch: {}, privateCidrs: Array.from({ length: 16 }, (_, n) => `10.0.${n}.0/24`) };
  const group = await natInstance({
    ...{ ...all, autoHeal: true, natGatewayFallback: {}, publicIpCount: 16, instanceType: "c7g.8xlarge" },
    nat: everyOption,
  });
  const pair = await natInstance({ ...all, highAvailability: {}, nat: ofPair });
  const template = templateData(group);
  for (const sent of [template, packedUserData(pair, "n-nat-1")]) {
    expect(16_384 - sent.length).toBeGreaterThan(1500);
  }
});

describe("who logs in without ssh", () => {
  it("is the holder of an EC2 key pair, from the blocks that inbound names", async () => {
    const inbound = [{ protocol: "tcp", port: 22, cidrs: ["198.51.100.0/24"] }] as const;
    const alone = await natInstance({ keyName: "operators", nat: { inbound } });
    expect(alone.inputs("Instance", "n-nat-machine").keyName).toBe("operators");
    expect(logins(alone)).toEqual([["198.51.100.0/24"], place.privateCidrs]);
    expect(userData(alone)).toContain("ip saddr { 198.51.100.0/24 } tcp dport 22 accept");
    const healing = await natInstance({ keyName: "operators", autoHeal: true });
    expect(healing.inputs("LaunchTemplate", "n-nat-template").keyName).toBe("operators");
    const pair = await natInstance({ keyName: "operators", highAvailability: {} });
    expect(pair.inputs("Instance", "n-nat-2").keyName).toBe("operators");
  });

  it("is Session Manager, by a role of the component's, which others may give further policies", async () => {
    const stack = await natInstance({ sessionManager: true, roles: { path: "/network/" } });
    expect(ready(stack.resources)).toEqual(["Association"]);
    const { policyArn } = stack.inputs("RolePolicyAttachment", "n-metrics-AmazonSSMManagedInstanceCore");
    expect(policyArn).toBe("arn:aws:iam::aws:policy/AmazonSSMManagedInstanceCore");
    expect(stack.resources.filter(({ type }) => type.endsWith(":RolePolicy"))).toEqual([]);
    expect(await known((stack.result.role as NonNullable<typeof stack.result.role>).name)).toBeTruthy();
    expect((await natInstance()).result.role).toBeUndefined();
    const pair = await natInstance({ ssh, sessionManager: true, highAvailability: {} });
    expect(pair.inputs("RolePolicyAttachment", "n-pair-AmazonSSMManagedInstanceCore")).toBeDefined();
    expect(pair.result.role).toBeDefined();
    await expect(natInstance({ sessionManager: true, iamInstanceProfile: "mine" })).rejects.toThrow(
      /^sessionManager: iamInstanceProfile names the machine's role; give that role AmazonSSMManagedInstanceCore/,
    );
  });
});

it("routes are others' to make where no route table is named, but a pair and a gateway's function move theirs", async () => {
  const { privateRouteTableIds: _, ...own } = place;
  const alone = await mocked(() => new NatInstance("n", own));
  expect(alone.resources.filter(({ type }) => type.endsWith(":Route"))).toEqual([]);
  expect(await known(alone.result.networkInterfaceId)).toBeTruthy();
  for (const moving of [{ highAvailability: {} }, { natGatewayFallback: true } as const]) {
    await expect(mocked(() => new NatInstance("n", { ...own, ...moving }))).rejects.toThrow(
      /^privateRouteTableIds: is needed: a pair, and natGatewayFallback, move the routes/,
    );
  }
});

it.each(["provider", "providers"] as const)("all of a component is in the region of its %s", async (form) => {
  const { providers } = await mocked(() => {
    const west = new Provider("west", { region: "us-west-2" });
    const opts = form === "provider" ? { provider: west } : { providers: [west] };
    const publicIps = [{ id: "eipalloc-12345678", address: "203.0.113.9" }];
    new NatInstance("pair", { ...place, highAvailability: {}, cloudWatch: {} }, opts);
    new NatInstance(
      "zones",
      { ...place, highAvailability: { standbySubnetId: existing.otherZoneSubnetId } },
      opts,
    );
    new NatInstance("healing", { ...place, autoHeal: true, natGatewayFallback: true }, opts);
    new NatInstance(
      "one",
      { ...place, publicIps, image: imageId("ubuntu", "arm64", 1), volume: { sizeGib: 20 } },
      opts,
    );
    new FckNat("other", place, opts);
    const { subnetId, privateRouteTableIds } = place;
    new NatGatewayEgress("gateway", { subnetId, privateRouteTableIds }, opts);
  });
  expect([...providers].map((urn) => urn.split("::").at(-2))).toEqual(["west"]);
  const inArgs = () => new NatInstance("n", { ...place, region: "us-west-2" } as never);
  await expect(mocked(inArgs)).rejects.toThrow(/^region: is not an argument of NatInstance/);
});
