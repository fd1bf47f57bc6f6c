/**
 * A NAT instance of a pair: what it refuses when it is set up, so that the update fails and not the take-over; how it takes over
 * on Azure, where it answers the load balancer's probe and its standby refuses it; and on AWS, by the very shell text, against
 * stand-ins of the instance metadata and of EC2. Proves which requests are made, and that success and refusal are
 * distinguished; not what a cloud makes of them, nor how long it needs.
 */
import { beforeAll, beforeEach, describe, expect, test } from "vitest";
import { awsMove } from "../../../components/aws/take-over.ts";
import { azureMove } from "../../../components/azure/pair-machine.ts";
import { type HighAvailability, natSetup } from "../../../components/nat-instance/index.ts";
import { standInOfAws } from "../../helpers/metadata-standin.ts";
import { PRIVATE_CIDR, SERVER, sharedLab } from "../../helpers/nat-lab.ts";

const lab = sharedLab();
const run = (script: string) => lab.run("instance", script);

const pair: HighAvailability = {
  self: "198.18.1.1",
  peer: "198.18.1.9",
  translatedTo: "198.19.1.7",
  move: { take: "  true", release: "  true" },
  check: { address: SERVER, port: 7000 },
};

test("refuses another machine's address, no link to the other one, and a role that may not take over", async () => {
  const setUp = (change: Partial<HighAvailability>) =>
    lab.run("instance", natSetup({ privateCidrs: [PRIVATE_CIDR], highAvailability: { ...pair, ...change } }));
  expect(() => setUp({ self: "198.18.1.8" })).toThrow(
    "highAvailability: this machine does not have the address 198.18.1.8",
  );
  lab.run("instance", "ip route add unreachable 203.0.113.0/24");
  expect(() => setUp({ peer: "203.0.113.9" })).toThrow(
    "highAvailability: there is no link to the other machine, 203.0.113.9",
  );
  // With the link down the way to the other machine is the outside's default route; or the far end of the cable is out.
  for (const host of ["instance", "client"] as const) {
    lab.run(host, "ip link set eth0 down");
    expect(() => setUp({})).toThrow("highAvailability: there is no link to the other machine, 198.18.1.9");
    lab.run(host, "ip link set eth0 up");
  }
  const move = { ...pair.move, allowed: "  return 1", refusal: "its role must allow it" };
  expect(() => setUp({ move })).toThrow(
    "highAvailability: this machine could not take over: its role must allow it",
  );
  expect(lab.run("instance", "ls /run/egress-bench-ha.d 2>/dev/null || echo nothing runs").trim()).toBe(
    "nothing runs",
  );
  // A pair of which there is only one as yet is active, and forwards.
  setUp({});
  await expect
    .poll(() => lab.run("instance", "cat /run/egress-bench-ha").trim(), { timeout: 10_000 })
    .toBe("active");
});

const PORT = 3782;

test("on Azure the active machine alone answers the probe, as often as it is asked", async () => {
  await lab.renewInstance();
  const highAvailability: HighAvailability = {
    self: "198.18.1.1",
    peer: "198.18.1.9",
    tunnel: true,
    move: azureMove(PORT),
    check: { address: SERVER, port: 7000 },
  };
  expect(highAvailability.move.inbound).toEqual([
    { protocol: "tcp", port: PORT, cidrs: ["168.63.129.16/32"] },
  ]);
  const tester = { protocol: "tcp", port: PORT, cidrs: ["198.18.1.2/32"] } as const;
  lab.run("instance", natSetup({ privateCidrs: [PRIVATE_CIDR], inbound: [tester], highAvailability }));
  // As the load balancer: connects, and closes.
  const answers = () =>
    lab
      .run(
        "client",
        `timeout 2 bash -c 'exec 3<>/dev/tcp/198.18.1.1/${PORT}' 2>/dev/null && echo yes || echo no`,
      )
      .trim();
  const role = () => lab.run("instance", "cat /run/egress-bench-ha 2>/dev/null || echo none").trim();
  await expect.poll(role, { timeout: 10_000 }).toBe("active");
  await expect.poll(answers, { timeout: 5_000 }).toBe("yes");
  expect([answers(), answers()]).toEqual(["yes", "yes"]);
  lab.run("instance", "egress-bench-ha standby");
  expect(answers()).toBe("no");
  lab.run("instance", "egress-bench-ha active");
  await expect.poll(answers, { timeout: 5_000 }).toBe("yes");
  lab.run("instance", "egress-bench-ha crash");
  expect(answers()).toBe("no");
  expect(role()).toBe("none");
});

const move = awsMove({
  networkInterfaceId: "eni-1",
  privateAddress: "10.0.0.9",
  routeTableIds: ["rtb-1", "rtb-2"],
});

/** Whether the function succeeds, as the program of a pair would call it. */
const calls = (name: string, { definitions, take, allowed } = move) =>
  run(`EGRESS_BENCH_AWS=http://169.254.169.254/
${definitions}
take_addresses() {
${take}
}
may_take_addresses() {
${allowed}
}
${name} && echo yes || echo no`).trim();
const requests = () => run("sort /tmp/requests; rm /tmp/requests").trim().split("\n");

const assign =
  "Action=AssignPrivateIpAddresses AllowReassignment=true NetworkInterfaceId=eni-1 PrivateIpAddress.1=10.0.0.9 Version=2016-11-15 True session== ec2/aws4_request";
const replace = (table: string) =>
  `Action=ReplaceRoute DestinationCidrBlock=0.0.0.0/0 NetworkInterfaceId=eni-1 RouteTableId=${table} Version=2016-11-15 True session== ec2/aws4_request`;

describe("on AWS", () => {
  beforeAll(async () => {
    await lab.renewInstance();
    run(standInOfAws);
  });
  beforeEach(() => {
    run("rm -f /tmp/requests /tmp/refused");
  });

  test("the address and every route move, by signed requests of the machine's role", () => {
    expect(calls("take_addresses")).toBe("yes");
    expect(requests()).toEqual([assign, replace("rtb-1"), replace("rtb-2")]);
  });

  test("a trial asks all of it and changes nothing", () => {
    expect(calls("may_take_addresses")).toBe("yes");
    const asked = requests();
    expect(asked).toHaveLength(3);
    expect(asked.every((one) => one.includes("DryRun=true"))).toBe(true);
  });

  test.each(["AssignPrivateIpAddresses", "ReplaceRoute"])("a role that lacks %s is found out", (action) => {
    run(`echo ${action} > /tmp/refused`);
    expect(calls("log_in_to_aws && may_take_over")).toBe("no");
    expect(calls("log_in_to_aws && take_over")).toBe("no");
  });

  test("of two subnets the Elastic IP goes from one private address to the other", () => {
    const apart = awsMove({
      networkInterfaceId: "eni-2",
      privateAddress: "10.0.2.9",
      allocationId: "eipalloc-1",
      routeTableIds: ["rtb-1"],
    });
    expect(calls("take_addresses", apart)).toBe("yes");
    expect(requests()).toEqual([
      "Action=AssociateAddress AllocationId=eipalloc-1 AllowReassociation=true NetworkInterfaceId=eni-2 PrivateIpAddress=10.0.2.9 Version=2016-11-15 True session== ec2/aws4_request",
      replace("rtb-1").replace("eni-1", "eni-2"),
    ]);
    run("echo AssociateAddress > /tmp/refused");
    expect(calls("log_in_to_aws && may_take_over", apart)).toBe("no");
  });

  test("the key is in no command line", () => {
    expect(move.definitions).toContain("-K -");
    expect(move.definitions).not.toMatch(/curl[^\n]*SecretAccessKey/);
  });
});
