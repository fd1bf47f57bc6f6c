/** Ports of a NAT instance that lead to private hosts: who gets there, with real packets on the real kernel. Not shown: a cloud's group. */
import { expect, test } from "vitest";
import { type NatSetupArgs, natSetup } from "../../../components/nat-instance/index.ts";
import { CLIENT, INSTANCE, PRIVATE_CIDR, SERVER, sharedLab } from "../../helpers/nat-lab.ts";

const lab = sharedLab();
const setUp = (args: Partial<NatSetupArgs>) =>
  lab.run("instance", natSetup({ privateCidrs: [PRIVATE_CIDR], ...args }));
/** Who the private host sees behind a new flow from outside; an error's name where it gets nobody. */
const seen = (protocol: "tcp" | "udp", to = INSTANCE) =>
  lab.flows(protocol, { host: "server", from: SERVER, to })[0]?.address;
const tcp = { port: 7000, to: CLIENT, from: [`${SERVER}/32`] };

test.each(["flowtable", "nftables"] as const)(
  "with %s a port leads to the private host, which sees who asks",
  (dataPlane) => {
    setUp({ dataPlane, forward: [tcp, { ...tcp, protocol: "udp", port: 7001, to: `${CLIENT}:7001` }] });
    expect([seen("tcp"), seen("udp")]).toEqual([SERVER, SERVER]);
    // The host itself stays closed, and its own flows to the same port outside are not turned round.
    expect(seen("tcp", CLIENT)).toBe("TimeoutError");
    expect(lab.flows("tcp")[0]?.address).toBe(INSTANCE);
  },
);

test("another port of the host, other sources and other protocols do not get there", () => {
  setUp({ forward: [{ ...tcp, from: ["203.0.113.0/24"] }] });
  expect([seen("tcp"), seen("udp")]).toEqual(["TimeoutError", "TimeoutError"]);
  setUp({ forward: [{ ...tcp, port: 7000, to: `${CLIENT}:7999` }] });
  expect(seen("tcp")).toBe("ConnectionRefusedError");
  setUp({});
  expect(seen("tcp")).toBe("TimeoutError");
});
