/**
 * How a NAT instance of a pair takes over on Azure: it answers the load balancer's probe, and its standby refuses it. Not
 * proved: what Azure's load balancer makes of it.
 */
import { expect, test } from "vitest";
import { azureMove } from "../../../components/azure/nat-pair.ts";
import { type HighAvailability, natSetup } from "../../../components/nat-instance/index.ts";
import { natLab, PRIVATE_CIDR, SERVER } from "../../helpers/nat-lab.ts";

const PORT = 3782;

test("the active machine alone answers, as often as it is asked", async () => {
  const lab = await natLab();
  const highAvailability: HighAvailability = {
    self: "198.18.1.1",
    peer: "198.18.1.9",
    tunnel: true,
    move: azureMove(PORT),
    check: { address: SERVER, port: 7000 },
  };
  lab.run("box", natSetup({ privateCidrs: [PRIVATE_CIDR], highAvailability }));
  // As the load balancer: connects, and closes.
  const answers = () =>
    lab
      .run(
        "client",
        `timeout 2 bash -c 'exec 3<>/dev/tcp/198.18.1.1/${PORT}' 2>/dev/null && echo yes || echo no`,
      )
      .trim();
  const role = () => lab.run("box", "cat /run/egress-bench-ha 2>/dev/null || echo none").trim();
  await expect.poll(role, { timeout: 10_000 }).toBe("active");
  await expect.poll(answers, { timeout: 5_000 }).toBe("yes");
  expect([answers(), answers()]).toEqual(["yes", "yes"]);
  lab.run("box", "egress-bench-ha standby");
  expect(answers()).toBe("no");
  lab.run("box", "egress-bench-ha active");
  await expect.poll(answers, { timeout: 5_000 }).toBe("yes");
  lab.run("box", "egress-bench-ha crash");
  expect(answers()).toBe("no");
  expect(role()).toBe("none");
});
