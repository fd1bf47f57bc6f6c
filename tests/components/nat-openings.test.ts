/**
 * What a NAT machine's own firewall takes in from named blocks, its cloud's group takes in too, whatever the option: read
 * from the set-up text and from the group. Not proved: that a cloud filters by its group.
 */
import { Buffer } from "node:buffer";
import { expect, it } from "vitest";
import { NatInstance } from "../../components/azure/index.ts";
import { type NatOptions, natComponentOptions } from "../../components/nat-instance/index.ts";
import { cidrContains } from "../../components/shared/cidr.ts";
import { natInstance, ssh, userData } from "../helpers/aws-standin/nat.ts";
import { mocked } from "../helpers/azure-mocks.ts";
import { unpacked } from "../helpers/unpacked.ts";

/** An example of each option, beside what it needs. */
const examples: Readonly<Record<keyof NatOptions, NatOptions>> = {
  dataPlane: { dataPlane: "nftables" },
  strict: { strict: true },
  outInterface: { outInterface: "ens5" },
  portRange: { portRange: { first: 2000, last: 60_000 } },
  portAllocation: { portAllocation: "preserve" },
  idleTimeouts: { idleTimeouts: { tcp: 3600 } },
  metricsDirectory: { metricsDirectory: "/var/lib/metrics" },
  upgradeWindow: { upgradeWindow: { at: "03:00" } },
  packageMirror: { packageMirror: "http://mirror.example.com/ubuntu" },
  packageProxy: { packageProxy: "http://10.0.0.9:3128" },
  privateIpv6Cidrs: { privateIpv6Cidrs: ["2001:db8:1::/64"] },
  nat64: { privateIpv6Cidrs: ["2001:db8:1::/64"], nat64: true },
  inbound: {
    inbound: [
      { protocol: "tcp", port: 9100, cidrs: ["10.9.0.0/24"] },
      { protocol: "tcp", port: 22, cidrs: ["10.9.1.0/24"] },
      { protocol: "udp", port: 9101, cidrs: ["10.9.0.0/24", "198.51.100.0/24"] },
    ],
  },
  forward: {
    forward: [
      { port: 443, to: "10.0.1.5:8443", from: ["198.51.100.0/24"] },
      { protocol: "udp", port: 53, to: "10.0.1.6", from: ["0.0.0.0/0"] },
    ],
  },
};
const options = Object.keys(natComponentOptions.shape) as (keyof NatOptions)[];

interface Opening {
  readonly direction: "in" | "out";
  readonly from: string;
  readonly protocol: string;
  readonly port: number;
  /** The private host behind. */
  readonly to?: string;
}

/** What the machine's rules take in from named IPv4 blocks, and lead on. */
function openings(setUp: string): Opening[] {
  // The ruleset's other form translates otherwise, and takes in the same.
  const [ruleset = ""] = setUp.split("masquerading_text()");
  const rules = ruleset.matchAll(
    /ip saddr (\{ [^}]+ \}|[\d./]+) (tcp|udp) dport (\d+) (?:accept|dnat ip to ([\d.]+)(?::(\d+))?)/g,
  );
  return [...rules].flatMap(([, blocks = "", protocol = "", port, to, other = port]) =>
    blocks
      .replace(/[{} ]/g, "")
      .split(",")
      .flatMap((from): Opening[] => {
        const opened = { from, protocol };
        const onward =
          to === undefined ? [] : [{ ...opened, direction: "out", to, port: Number(other) } as const];
        return [{ ...opened, direction: "in", port: Number(port) }, ...onward];
      }),
  );
}

/** The firewall's rules that let something through. */
function accepting(setUp: string): string[] {
  const [ruleset = ""] = setUp.split("masquerading_text()");
  return ruleset.split("\n").filter((line) => /(?<!policy )accept;?$|\bdnat\b/.test(line.trim()));
}

const contains = (blocks: readonly string[], from: string) =>
  blocks.some((block) => block === "*" || (/^[\d.]+\//.test(block) && cidrContains(block, from)));

async function onAws(nat: NatOptions, securityGroup: "untracked" | "stateful") {
  const stack = await natInstance({ nat, ssh, securityGroup });
  // biome-ignore lint/suspicious/noExplicitAny: a group as it is sent
  const { ingress, egress }: any = stack.inputs("SecurityGroup", "n-nat-sg");
  return {
    setUp: userData(stack),
    ipv6: JSON.stringify(ingress.map((rule: { ipv6CidrBlocks?: string[] }) => rule.ipv6CidrBlocks)),
    admits: ({ direction, from, protocol, port }: Opening) =>
      (direction === "in" ? ingress : egress).some(
        (rule: { protocol: string; fromPort: number; toPort: number; cidrBlocks: string[] }) =>
          (rule.protocol === "-1" ||
            (rule.protocol === protocol && rule.fromPort <= port && rule.toPort >= port)) &&
          contains(rule.cidrBlocks, from),
      ),
  };
}

async function onAzure(nat: NatOptions) {
  const place = { resourceGroupName: "group", location: "japaneast", subnetId: "10.0.0.0/24" };
  const args = { ...place, privateCidrs: ["10.0.1.0/24"], ssh, nat };
  const stack = await mocked(() => new NatInstance("n", args));
  const rules = stack.inputs("NetworkSecurityGroup", "n-nat-nsg").securityRules;
  return {
    setUp: unpacked(Buffer.from(stack.inputs("VirtualMachine", "n-nat").osProfile.customData, "base64")),
    admits: ({ direction, from, protocol, port, to = "*" }: Opening) =>
      rules.some(
        (rule: Record<string, string> & { sourceAddressPrefixes?: string[] }) =>
          rule.access === "Allow" &&
          rule.direction === (direction === "in" ? "Inbound" : "Outbound") &&
          ["*", protocol].includes((rule.protocol ?? "").toLowerCase()) &&
          ["*", `${port}`].includes(rule.destinationPortRange ?? "") &&
          ["*", to].includes(rule.destinationAddressPrefix ?? "") &&
          contains(rule.sourceAddressPrefixes ?? [], from),
      ),
  };
}

/** Options whose examples open ports to the machine or to private hosts, and how many ways. */
const opened: Partial<Record<keyof NatOptions, number>> = { inbound: 4, forward: 4 };

it.each(options)("nat.%s opens the same in the machine and in its group", async (option) => {
  const nat = examples[option];
  const azure = "privateIpv6Cidrs" in nat ? [] : [await onAzure(nat)];
  const plain = accepting((await onAws({}, "untracked")).setUp);
  for (const { setUp, admits } of [await onAws(nat, "untracked"), await onAws(nat, "stateful"), ...azure]) {
    // What else an option lets through is of IPv6, which the next test has, or a forwarded port's.
    const added = accepting(setUp).filter((line) => !plain.includes(line) && openings(line).length === 0);
    expect(added.filter((line) => !/\bip6\b|icmpv6|"ebnat64"|ct status dnat/.test(line))).toEqual([]);
    const found = openings(setUp);
    expect(found).toHaveLength(opened[option] ?? 0);
    expect(found.filter((one) => !admits(one))).toEqual([]);
  }
});

it("IPv6 blocks open AWS's group, and are refused on Azure, which carries no machine's IPv6 through another", async () => {
  for (const option of ["privateIpv6Cidrs", "nat64"] as const) {
    const { setUp, ipv6 } = await onAws(examples[option], "untracked");
    expect(setUp).toContain("ip6 saddr { 2001:db8:1::/64 } oifname $out_interface ct state new accept");
    expect(ipv6).toContain("2001:db8:1::/64");
    await expect(onAzure({ [option]: examples[option][option] })).rejects.toThrow(
      `nat.${option}: Azure carries no machine's IPv6 through another`,
    );
  }
});
