/**
 * NAT machines of one's own stack: without logins, with addresses, groups, profile and disk that one names oneself.
 *
 * Not proved: that Systems Manager runs the wait, and how long that takes.
 */
import { describe, expect, it } from "vitest";
import { FckNat, NatInstance, type NatInstanceArgs } from "../../../components/aws/index.ts";
import { existing, mocked } from "../../helpers/aws-standin/mocks.ts";

const key = { publicKey: "ssh-ed25519 key", privateKey: "key" };
const ssh = { key, allowedCidrs: ["203.0.113.7/32"] };
const place = {
  vpcId: existing.vpcId,
  subnetId: existing.subnetId,
  privateRouteTableIds: [existing.privateRouteTableId],
  privateCidrs: ["10.0.1.0/24"],
};

async function nat(args: Partial<NatInstanceArgs>) {
  return mocked(() => new NatInstance("n", { ...place, ...args }));
}
const ready = (registered: readonly { type: string; name: string }[]) =>
  registered.filter(({ name }) => name === "n-nat-ready").map(({ type }) => type.split(":").at(-1));

describe("a NAT machine without ssh", () => {
  it("lets nobody in, and is ready when it runs", async () => {
    const stack = await nat({});
    expect(ready(stack.resources)).toEqual([]);
    const [rule, ...others] = stack.inputs("SecurityGroup", "n-nat-sg").ingress;
    expect(others).toEqual([]);
    expect(rule).toMatchObject({ protocol: "-1", cidrBlocks: place.privateCidrs });
    expect(stack.inputs("Instance", "n-nat").userData).not.toContain("ssh_authorized_keys");
    expect(stack.result.hosts).toEqual([]);
    expect(() => stack.result.host.connection).toThrow("nobody may log in to n-nat; give its component ssh");
  });

  it.each([false, true])(
    "but with an instance profile is waited for by Systems Manager; autoHeal %s",
    async (autoHeal) => {
      const stack = await nat({ iamInstanceProfile: "managed", autoHeal });
      expect(ready(stack.resources)).toEqual(["Association"]);
      const { name, targets, parameters, waitForSuccessTimeoutSeconds } = stack.inputs(
        "Association",
        "n-nat-ready",
      );
      expect(name).toBe("AWS-RunShellScript");
      const machine = autoHeal ? `i-of-${stack.id("Group", "n-nat")}` : stack.id("Instance", "n-nat");
      expect(targets).toEqual([{ key: "InstanceIds", values: [machine] }]);
      expect(parameters.commands).toContain("cloud-init status --wait");
      expect(Number(waitForSuccessTimeoutSeconds)).toBeGreaterThan(Number(parameters.executionTimeout));
    },
  );

  it("with ssh from nowhere has no rule for it", async () => {
    const stack = await nat({ ssh: { key, allowedCidrs: [] } });
    expect(stack.inputs("SecurityGroup", "n-nat-sg").ingress).toHaveLength(1);
  });
});

describe("fck-nat that is not observed", () => {
  it("is not waited for by logins that it may not take", async () => {
    const stack = await mocked(() => new FckNat("n", { ...place, ssh, observed: false }));
    expect(ready(stack.resources)).toEqual([]);
    expect(stack.result.hosts).toEqual([]);
    // Its operator may still try.
    expect(stack.inputs("SecurityGroup", "n-nat-sg").ingress).toHaveLength(2);
  });

  it("is what it is without ssh, and cannot be observed then", async () => {
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

describe("addresses that exist already", () => {
  const own = { id: "eipalloc-12345678", address: "198.51.100.7" };

  it.each([
    ["NatInstance", NatInstance],
    ["FckNat", FckNat],
  ])("of a %s are used instead of new ones", async (_, Kind) => {
    const stack = await mocked(() => new Kind("n", { ...place, ssh, publicIps: [own] }));
    expect(stack.aws().filter((resource) => resource.startsWith("Eip "))).toEqual([]);
    expect(stack.inputs("EipAssociation", "n-nat-eni-1").allocationId).toBe(own.id);
    const [address] = stack.result.expectedSourceIps;
    expect(await new Promise((resolve) => address?.apply(resolve))).toBe(own.address);
  });

  it.each<[Partial<NatInstanceArgs>, RegExp]>([
    [{ publicIps: [own], publicIpCount: 1 }, /^publicIps: publicIpCount and publicIps exclude each other/],
    [{ publicIps: [] }, /^publicIps: must be a whole number from 1 to 50, not 0/],
  ])("%j is refused", async (args, message) => {
    await expect(nat({ ssh, ...args })).rejects.toThrow(message);
  });

  it("of fck-nat are one", async () => {
    const two = { ...place, ssh, publicIps: [own, own] };
    await expect(mocked(() => new FckNat("n", two))).rejects.toThrow(/^publicIps: .* from 1 to 1, not 2/);
  });
});

describe("what else EC2 lets one choose", () => {
  const chosen = {
    ssh,
    iamInstanceProfile: "managed",
    creditMode: "standard",
    volume: { sizeGib: 20, kmsKeyId: "arn:aws:kms:us-east-1:111122223333:key/1" },
    securityGroupIds: ["sg-12345678"],
    tags: { team: "network" },
  } as const;

  it("reaches the instance, and its disk's tags", async () => {
    const stack = await nat(chosen);
    expect(stack.inputs("Instance", "n-nat")).toMatchObject({
      iamInstanceProfile: "managed",
      creditSpecification: { cpuCredits: "standard" },
      rootBlockDevice: { encrypted: true, volumeSize: 20, kmsKeyId: chosen.volume.kmsKeyId },
      volumeTags: { Name: "n-nat", team: "network" },
    });
    const groups = stack.inputs("NetworkInterface", "n-nat-eni").securityGroups;
    expect(groups).toEqual([stack.id("SecurityGroup", "n-nat-sg"), "sg-12345678"]);
  });

  it("reaches the machines of a group that heals itself", async () => {
    const stack = await nat({ ...chosen, autoHeal: true });
    const template = stack.inputs("LaunchTemplate", "n-nat-template");
    expect(template).toMatchObject({
      iamInstanceProfile: { name: "managed" },
      creditSpecification: { cpuCredits: "standard" },
      tagSpecifications: [{ resourceType: "volume", tags: { Name: "n-nat", team: "network" } }],
    });
    expect(template.blockDeviceMappings[0].ebs).toMatchObject({ volumeSize: 20, encrypted: "true" });
  });

  it("is left to EC2 where nothing is said", async () => {
    const { inputs } = await nat({ ssh });
    const { rootBlockDevice, ...instance } = inputs("Instance", "n-nat");
    expect(rootBlockDevice).toEqual({ encrypted: true });
    expect(instance).not.toHaveProperty("creditSpecification");
    expect(instance).not.toHaveProperty("iamInstanceProfile");
  });
});
