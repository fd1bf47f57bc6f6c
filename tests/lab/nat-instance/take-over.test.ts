/**
 * How a NAT instance of a pair takes over on AWS: the very shell text, against stand-ins of the instance metadata and of
 * EC2 in a lab host. Proves which requests are made, and that success and refusal are distinguished; not that AWS takes the
 * signature, nor how long it needs.
 */
import { beforeEach, expect, test } from "vitest";
import { awsMove } from "../../../components/aws/take-over.ts";
import { runInHost } from "../../../components/local/lab/enter.ts";
import { startHosts, testLab } from "../../helpers/lab-hosts.ts";
import { standInOfAws } from "../../helpers/metadata-standin.ts";

const move = awsMove({
  networkInterfaceId: "eni-1",
  privateAddress: "10.0.0.9",
  routeTableIds: ["rtb-1", "rtb-2"],
});

let run: (script: string) => string;
beforeEach(async () => {
  const lab = testLab();
  await startHosts(lab, "nat");
  run = (script) => runInHost(lab, "nat", script);
  run(standInOfAws);
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
