/**
 * A NAT instance forwards and translates real traffic on the real kernel. Without flowtables in that kernel, it does
 * not show that flows are offloaded.
 */
import { describe, expect, test } from "vitest";
import { type NatSetupArgs, natSetup } from "../../../components/nat-instance/index.ts";
import { BOX, CLIENT, type NatLab, natLab, PRIVATE_CIDR, SERVER, STRANGER } from "../../helpers/nat-lab.ts";

async function labWithBox(args: Partial<NatSetupArgs> = {}): Promise<NatLab> {
  const lab = await natLab();
  lab.run("box", natSetup({ privateCidrs: [PRIVATE_CIDR], ...args }));
  return lab;
}

const addresses = (flows: readonly { address: string }[]) =>
  [...new Set(flows.map(({ address }) => address))].sort();

describe("a NAT instance", () => {
  test("hides private hosts behind its own address, whatever they send", async () => {
    const lab = await labWithBox();
    expect(addresses(lab.flows("tcp", { count: 5 }))).toEqual([BOX]);
    expect(addresses(lab.flows("udp", { count: 5 }))).toEqual([BOX]);
    expect(addresses(lab.flows("icmp"))).toEqual(["reply"]);
    lab.run("box", "nft delete table inet egress_bench");
    expect(addresses(lab.flows("tcp"))).toEqual([CLIENT]);
  });

  test("drops new flows that are not from a private block, or that come in from outside", async () => {
    const lab = await labWithBox();
    const stranger = { from: STRANGER };
    const inward = { host: "server", from: SERVER, to: CLIENT } as const;
    for (const flow of [stranger, inward]) {
      expect(addresses(lab.flows("tcp", flow))).toEqual(["TimeoutError"]);
      expect(addresses(lab.flows("udp", flow))).toEqual(["TimeoutError"]);
    }
    lab.run("box", "nft delete table inet egress_bench");
    expect(addresses(lab.flows("tcp", stranger))).toEqual([STRANGER]);
    expect(addresses(lab.flows("tcp", inward))).toEqual([SERVER]);
  });

  test("passes no IPv6, even where something else turned its forwarding on", async () => {
    const lab = await labWithBox();
    lab.run("client", "ip address add fd00:1::2/64 dev eth0 nodad && ip route add default via fd00:1::1");
    lab.run("server", "ip address add fd00:2::9/64 dev eth0 nodad && ip route add default via fd00:2::1");
    lab.run(
      "box",
      `ip address add fd00:1::1/64 dev eth0 nodad && ip address add fd00:2::1/64 dev eth1 nodad
      sysctl -qw net.ipv6.conf.all.forwarding=1`,
    );
    const flow = { from: "fd00:1::2", to: "fd00:2::9" };
    expect(addresses(lab.flows("tcp", flow))).toEqual(["TimeoutError"]);
    lab.run("box", "nft delete table inet egress_bench");
    expect(addresses(lab.flows("tcp", flow))).toEqual(["fd00:1::2"]);
  });

  test("keeps to its port range", async () => {
    const lab = await labWithBox({ portRange: { first: 2000, last: 2099 } });
    for (const protocol of ["tcp", "udp"] as const) {
      const flows = lab.flows(protocol, { count: 30 });
      expect(addresses(flows)).toEqual([BOX]);
      expect(flows.filter(({ port }) => port < 2000 || port > 2099)).toEqual([]);
    }
    expect(addresses(lab.flows("icmp"))).toEqual(["reply"]);
  });

  test("has no port for one flow more than its range holds", async () => {
    const lab = await labWithBox({ portRange: { first: 2000, last: 2003 } });
    const outcomes = lab.flows("udp", { count: 5 }).map(({ address }) => address);
    expect(outcomes).toEqual([BOX, BOX, BOX, BOX, "TimeoutError"]);
  });

  test("spreads flows over several addresses, adding those it lacks", async () => {
    const sourceAddresses = [BOX, "198.19.1.5", "198.19.1.6"];
    const lab = await labWithBox({ sourceAddresses });
    expect(addresses(lab.flows("tcp", { count: 60 }))).toEqual(sourceAddresses);
    expect(addresses(lab.flows("udp", { count: 60 }))).toEqual(sourceAddresses);
    expect(addresses(lab.flows("icmp"))).toEqual(["reply"]);
  });

  test("spreads flows over several addresses within a port range", async () => {
    const sourceAddresses = [BOX, "198.19.1.5"];
    const lab = await labWithBox({ sourceAddresses, portRange: { first: 3000, last: 3999 } });
    const flows = lab.flows("tcp", { count: 60 });
    expect(addresses(flows)).toEqual(sourceAddresses);
    expect(flows.filter(({ port }) => port < 3000 || port > 3999)).toEqual([]);
  });

  test("takes a single source address that is not its primary one", async () => {
    const lab = await labWithBox({ sourceAddresses: ["198.19.1.5"] });
    expect(addresses(lab.flows("tcp", { count: 5 }))).toEqual(["198.19.1.5"]);
  });
});
