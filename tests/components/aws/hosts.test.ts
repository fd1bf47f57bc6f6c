import { describe, expect, it } from "vitest";
import { AGENT_PORT, type PortRanges, receiverPorts, testPorts } from "../../../bench/tools/ports.ts";
import { imageId } from "../../helpers/aws-standin/fake-functions.ts";
import { known } from "../ends.ts";
import { deployMocked } from "./deploy.ts";

describe("machines", () => {
  it.each(["server", "jump", "nat-instance-client", "nat-instance-nat-machine"])(
    "%s has an encrypted disk and answers IMDSv2 only, and no container on it",
    async (name) => {
      const stack = await deployMocked([{ topology: "nat-instance" }]);
      const { rootBlockDevice, metadataOptions, userDataReplaceOnChange } = stack.inputs("Instance", name);
      expect(rootBlockDevice).toEqual({ encrypted: true });
      expect(metadataOptions).toEqual({ httpTokens: "required", httpPutResponseHopLimit: 1 });
      expect(userDataReplaceOnChange).toBe(true);
    },
  );

  it("of a self-healing group have them too, and boot with the interface", async () => {
    const stack = await deployMocked([{ topology: "nat-instance", autoHeal: true }]);
    const template = stack.inputs("LaunchTemplate", "nat-instance-nat-template");
    expect(template.metadataOptions).toMatchObject({ httpTokens: "required", httpPutResponseHopLimit: 1 });
    expect(template.blockDeviceMappings).toEqual([
      { deviceName: "/dev/sda1", ebs: { encrypted: "true", deleteOnTermination: "true" } },
    ]);
    expect(template.networkInterfaces).toEqual([
      { deviceIndex: 0, networkInterfaceId: stack.id("NetworkInterface", "nat-instance-nat-healing-eni") },
    ]);
    const { minSize, maxSize, availabilityZones, vpcZoneIdentifiers, instanceRefresh } = stack.inputs(
      "Group",
      "nat-instance-nat",
    );
    expect({ minSize, maxSize, availabilityZones }).toEqual({
      minSize: 1,
      maxSize: 1,
      availabilityZones: ["us-east-1a"],
    });
    expect(vpcZoneIdentifiers).toBeUndefined();
    expect(instanceRefresh.preferences.minHealthyPercentage).toBe(0);
  });

  it("get the image of their instance type's architecture", async () => {
    const stack = await deployMocked([
      { topology: "nat-instance", instanceType: "t3.micro" },
      { topology: "fck-nat" },
    ]);
    expect(stack.inputs("Instance", "nat-instance-nat-machine").ami).toBe(imageId("ubuntu", "x86_64", 1));
    expect(stack.inputs("Instance", "nat-instance-client").ami).toBe(imageId("ubuntu", "arm64", 1));
    expect(stack.inputs("Instance", "fck-nat-nat-machine").ami).toBe(imageId("fck-nat", "arm64", 1));
  });

  it("without a public address are reached through the only jump host", async () => {
    const stack = await deployMocked([{ topology: "nat-gateway" }, { topology: "nat-instance" }]);
    const jump = stack.inputs("Command", "jump-ready").connection;
    for (const client of ["nat-gateway-client", "nat-instance-client"]) {
      const { proxy } = stack.inputs("Command", `${client}-ready`).connection;
      expect(proxy).toEqual(jump);
      expect(stack.inputs("Instance", client).associatePublicIpAddress).toBe(false);
      const [ssh, ...others] = stack.inputs("SecurityGroup", `${client}-sg`).ingress;
      expect(ssh.cidrBlocks).toEqual([`${stack.outputs("Instance", "jump").privateIp}/32`]);
      // A NAT's UDP time-out is measured, not the group's own: late packets from the server get in.
      expect(others).toEqual([
        {
          ...{ description: "late answers", protocol: "udp", fromPort: 0, toPort: 65_535 },
          cidrBlocks: [`${stack.outputs("Eip", "server-eip").publicIp}/32`],
        },
      ]);
    }
  });

  it("have their jump host sampled, whose agent answers only the clients' VPC", async () => {
    const stack = await deployMocked([{ topology: "direct" }, { topology: "nat-gateway" }]);
    const [ssh, ...others] = stack.inputs("SecurityGroup", "jump-sg").ingress;
    expect(ssh).toMatchObject({ fromPort: 22, cidrBlocks: ["203.0.113.7/32"] });
    expect(others).toMatchObject([
      {
        ...{ protocol: "tcp", fromPort: AGENT_PORT, toPort: AGENT_PORT },
        cidrBlocks: [stack.inputs("Vpc", "client-network").cidrBlock],
      },
    ]);
    const observed = stack.result.paths.map((path) => [path.name, path.observed.map(({ name }) => name)]);
    expect(observed).toEqual([
      ["direct", []],
      ["nat-gateway", ["jump"]],
    ]);
  });
});

describe("the server", () => {
  it("opens the test ports to the paths' source addresses, and SSH to the operator", async () => {
    const stack = await deployMocked([
      { topology: "direct" },
      { topology: "nat-gateway" },
      { topology: "intra-vpc" },
    ]);
    const sources = [
      ...(["direct-eip", "nat-gateway-eip-1"] as const).map((eip) => stack.outputs("Eip", eip).publicIp),
      stack.inputs("NetworkInterface", "intra-vpc-client-eni").privateIps[0],
    ].map((address) => `${address}/32`);
    const [ssh, ...tests] = stack.inputs("SecurityGroup", "server-sg").ingress;
    expect(ssh).toMatchObject({ fromPort: 22, toPort: 22, cidrBlocks: ["203.0.113.7/32"] });
    for (const rule of tests) {
      expect(rule.cidrBlocks).toEqual(sources);
    }
    expect(tests.map(portsOf)).toEqual(rulesFor(testPorts));
  });

  it("is the only one that may connect to a client without a NAT: to its agent and ntttcp's ports", async () => {
    const stack = await deployMocked([
      { topology: "direct" },
      { topology: "intra-vpc" },
      { topology: "nat-gateway" },
    ]);
    const opened = rulesFor(receiverPorts);
    const servers = {
      "direct-client": stack.outputs("Eip", "server-eip").publicIp,
      "intra-vpc-client": stack.outputs("NetworkInterface", "server-eni").privateIp,
    };
    for (const [client, address] of Object.entries(servers)) {
      const [, late, ...rules] = stack.inputs("SecurityGroup", `${client}-sg`).ingress;
      expect(late).toMatchObject({ protocol: "udp", cidrBlocks: [`${address}/32`] });
      expect(rules.map(portsOf)).toEqual(opened);
      expect(rules.map((rule: Record<string, unknown>) => rule.cidrBlocks)).toEqual(
        opened.map(() => [`${address}/32`]),
      );
    }
    expect(
      await Promise.all(stack.result.paths.map(({ clientAddress }) => known(clientAddress ?? ""))),
    ).toEqual([
      stack.outputs("Eip", "direct-eip").publicIp,
      stack.inputs("NetworkInterface", "intra-vpc-client-eni").privateIps[0],
      "",
    ]);
  });
});

const rulesFor = (ranges: PortRanges) =>
  (["tcp", "udp"] as const).flatMap((protocol) =>
    ranges[protocol].map(({ first, last }) => `${protocol} ${first}-${last}`),
  );

const portsOf = ({ protocol, fromPort, toPort }: Record<string, unknown>) =>
  `${protocol} ${fromPort}-${toPort}`;
