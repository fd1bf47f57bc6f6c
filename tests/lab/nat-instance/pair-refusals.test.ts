/** What a machine of a pair refuses when it is set up, so that the update fails and not the take-over. */
import { expect, test } from "vitest";
import { type HighAvailability, natSetup } from "../../../components/nat-instance/index.ts";
import { natLab, PRIVATE_CIDR, SERVER } from "../../helpers/nat-lab.ts";

const pair: HighAvailability = {
  self: "198.18.1.1",
  peer: "198.18.1.9",
  translatedTo: "198.19.1.7",
  move: { take: "  true", release: "  true" },
  check: { address: SERVER, port: 7000 },
};

test("another machine's address, no link to the other one, and a role that may not take over", async () => {
  const lab = await natLab();
  const setUp = (change: Partial<HighAvailability>) =>
    lab.run("box", natSetup({ privateCidrs: [PRIVATE_CIDR], highAvailability: { ...pair, ...change } }));
  expect(() => setUp({ self: "198.18.1.8" })).toThrow(
    "highAvailability: this machine does not have the address 198.18.1.8",
  );
  lab.run("box", "ip route add unreachable 203.0.113.0/24");
  expect(() => setUp({ peer: "203.0.113.9" })).toThrow(
    "highAvailability: there is no link to the other machine, 203.0.113.9",
  );
  // With the link down the way to the other machine is the outside's default route; or the far end of the cable is out.
  for (const host of ["box", "client"] as const) {
    lab.run(host, "ip link set eth0 down");
    expect(() => setUp({})).toThrow("highAvailability: there is no link to the other machine, 198.18.1.9");
    lab.run(host, "ip link set eth0 up");
  }
  const move = { ...pair.move, allowed: "  return 1", refusal: "its role must allow it" };
  expect(() => setUp({ move })).toThrow(
    "highAvailability: this machine could not take over: its role must allow it",
  );
  expect(lab.run("box", "ls /run/egress-bench-ha.d 2>/dev/null || echo nothing runs").trim()).toBe(
    "nothing runs",
  );
  // A pair of which there is only one as yet is active, and forwards.
  setUp({});
  await expect
    .poll(() => lab.run("box", "cat /run/egress-bench-ha").trim(), { timeout: 10_000 })
    .toBe("active");
});
