/**
 * User data of all machines, validated by the real cloud-init.
 *
 * Not proved: its effect on AWS; the lab's tests execute the NAT instance's script itself.
 */
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
    { topology: "nat-instance", name: "healing", autoHeal: true, dataPlane: "iptables" },
    { topology: "fck-nat" },
    { topology: "fck-nat", name: "healing-fck", autoHeal: true },
  ]);
});

/** Bytes as EC2 counts them. */
function sent(machine: string): Buffer {
  if (machine.startsWith("healing-")) {
    return Buffer.from(stack.inputs("LaunchTemplate", `${machine}-template`).userData, "base64");
  }
  const { userData: text, userDataBase64: packed } = stack.inputs("Instance", machine);
  return packed === undefined ? Buffer.from(text) : Buffer.from(packed, "base64");
}

function userData(machine: string): string {
  return unpacked(sent(machine));
}

const machines = [
  ...["server", "jump", "nat-instance-client", "nat-instance-nat-renewed", "healing-nat"],
  ...["mirrored-nat-1", "mirrored-nat-2", "fck-nat-nat-machine", "healing-fck-nat"],
];

describe("user data", () => {
  it("is valid", () => {
    const verdicts = cloudInitSchema(
      Object.fromEntries(machines.map((machine) => [machine, userData(machine)])),
    );
    for (const machine of machines) {
      expect(verdicts[machine], machine).toEqual({ valid: true, said: expect.stringMatching(/Valid/) });
    }
  });

  it("of a NAT instance gets packages from a mirror through a proxy, if given", () => {
    expect(parse(userData("mirrored-nat-1")).apt).toMatchObject({
      security: [{ uri: "https://mirror.example.com/ubuntu/" }],
      https_proxy: "http://10.9.0.1:3128",
    });
    expect(parse(userData("nat-instance-nat-renewed"))).not.toHaveProperty("apt");
  });

  it.each(machines)("of %s is within EC2's limit", (machine) => {
    expect(sent(machine).length).toBeLessThan(16_384);
  });

  it.each(machines)("of %s brings the host key that logins verify, and lets the operator in", (machine) => {
    const { hostKey } = stack.inputs(
      "Command",
      `${machine.replace(/-(machine|renewed)$/, "")}-ready`,
    ).connection;
    const document = parse(userData(machine));
    expect(document.ssh_keys.ed25519_public.trim()).toBe(hostKey);
    expect(document.ssh_authorized_keys).toEqual(["ssh-ed25519 operator-key"]);
  });

  it("of a NAT instance sets up NAT for its clients, over all its addresses", () => {
    const script = JSON.stringify(parse(userData("nat-instance-nat-renewed")).write_files);
    expect(script).toContain(stack.inputs("Subnet", "client-network-nat-instance-client").cidrBlock);
    for (const address of stack.outputs("NetworkInterface", "nat-instance-nat-renewed-eni").privateIps) {
      expect(script).toContain(address);
    }
  });

  it("of a NAT instance installs iptables if that is its data plane", () => {
    const packages = (machine: string) =>
      parse(userData(machine)).write_files.find(({ path }: { path: string }) =>
        path.endsWith("/install-packages"),
      ).content;
    expect(packages("healing-nat")).toMatch(/^packages="python3 nftables .* iptables"$/m);
    expect(packages("nat-instance-nat-renewed")).not.toContain("iptables");
  });

  it("of fck-nat adds nothing: the image itself is compared, and dnf may exceed the memory", () => {
    expect(parse(userData("fck-nat-nat-machine"))).not.toHaveProperty("runcmd");
    expect(parse(userData("fck-nat-nat-machine"))).not.toHaveProperty("write_files");
    expect(stack.inputs("Command", "fck-nat-nat-ready").connection.user).toBe("ec2-user");
  });

  it.each(["nat-instance-nat-renewed", "healing-nat"])(
    "of %s sets NAT up before packages, which may take ten minutes",
    (machine) => {
      const steps = parse(userData(machine)).runcmd.map(String);
      const [early, install, last] = [/\|\| .*set-up \|\| true$/, /install-packages$/, /^[^ ]*set-up$/].map(
        (step) => steps.findIndex((line: string) => step.test(line)),
      ) as [number, number, number];
      expect(early).toBeGreaterThan(0);
      expect(install).toBeGreaterThan(early);
      expect(last).toBeGreaterThan(install);
    },
  );

  it("ends self-healing machines that fail, and no others", () => {
    const unit = (machine: string) =>
      parse(userData(machine)).write_files?.map(({ path }: { path: string }) => path) ?? [];
    const dropIn = (name: string) => `/etc/systemd/system/${name}.service.d/egress-bench.conf`;
    expect(unit("healing-nat")).toContain(dropIn("egress-bench-nat-instance"));
    expect(unit("healing-fck-nat")).toEqual([dropIn("fck-nat")]);
    for (const machine of ["nat-instance-nat-renewed", "fck-nat-nat-machine", "server"]) {
      expect(userData(machine)).not.toContain("poweroff");
    }
  });
});
