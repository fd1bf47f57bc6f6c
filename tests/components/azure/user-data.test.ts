/**
 * User data of all machines, validated by the real cloud-init.
 *
 * Not proved: its effect on Azure; the lab's tests execute the NAT instance's script itself.
 */
import { Buffer } from "node:buffer";
import { beforeAll, describe, expect, it } from "vitest";
import { parse } from "yaml";
import { cloudInitSchema } from "../../helpers/cloud-init-schema.ts";
import { unpacked } from "../../helpers/unpacked.ts";
import { scripted } from "../scripted.ts";
import { deployMocked } from "./deploy.ts";

let stack: Awaited<ReturnType<typeof deployMocked>>;
beforeAll(async () => {
  stack = await deployMocked([
    ...scripted,
    { topology: "nat-instance", name: "fck", dataPlane: "iptables" },
    { topology: "nat-instance-ha" },
  ]);
});

function userData(machine: string): string {
  return unpacked(Buffer.from(stack.inputs("VirtualMachine", machine).osProfile.customData, "base64"));
}

describe("user data", () => {
  it("is valid, by a check that finds invalid data", () => {
    const machines = [
      ...["server", "nat-instance-client", "nat-instance-jump", "nat-instance-nat"],
      ...["nat-instance-ha-nat", "mirrored-nat-2"],
    ];
    const { invalid, ...verdicts } = cloudInitSchema({
      ...Object.fromEntries(machines.map((machine) => [machine, userData(machine)])),
      invalid: "#cloud-config\nruncmd: 5\n",
    });
    for (const [machine, verdict] of Object.entries(verdicts)) {
      expect(verdict, machine).toEqual({ valid: true, said: expect.stringMatching(/Valid/) });
    }
    expect(Object.keys(verdicts)).toEqual(machines);
    expect(invalid).toEqual({ valid: false, said: expect.stringMatching(/runcmd/) });
  });

  it("of a NAT instance gets packages from a mirror through a proxy, if given", () => {
    expect(parse(userData("mirrored-nat")).apt).toMatchObject({
      security: [{ uri: "https://mirror.example.com/ubuntu/" }],
      https_proxy: "http://10.9.0.1:3128",
    });
    expect(parse(userData("nat-instance-nat"))).not.toHaveProperty("apt");
  });

  it.each(["server", "nat-instance-nat"])("of %s brings the host key that logins verify", (machine) => {
    const { hostKey } = stack.inputs("Command", `${machine}-ready`).connection;
    expect(parse(userData(machine)).ssh_keys.ed25519_public.trim()).toBe(hostKey);
    // Azure's metadata service shows `userData`, and no custom data.
    expect(stack.inputs("VirtualMachine", machine)).not.toHaveProperty("userData");
  });

  it("of a NAT instance installs iptables if that is its data plane", () => {
    const packages = (machine: string) => parse(userData(machine)).write_files[0].content;
    expect(packages("fck-nat")).toMatch(/^packages="python3 nftables .* iptables"$/m);
    expect(packages("nat-instance-nat")).not.toContain("iptables");
  });

  it("of the NAT instance sets up NAT for its clients, over all its addresses", () => {
    const script = JSON.stringify(parse(userData("nat-instance-nat")).write_files);
    expect(script).toContain(stack.inputs("Subnet", "nat-instance-client").addressPrefix);
    const subnet = stack.inputs("Subnet", "nat-instance-nat").addressPrefix.replace("0/24", "");
    expect(script).toContain(`${subnet}4`);
    expect(script).toContain(`${subnet}5`);
    expect(script).toContain("2000-3000");
  });

  it("is at most 64 KB, Azure's limit for custom data", () => {
    for (const { type, inputs } of stack.resources) {
      if (type.endsWith(":VirtualMachine")) {
        expect(inputs.osProfile.customData.length).toBeLessThan(64 * 1024);
      }
    }
  });
});
