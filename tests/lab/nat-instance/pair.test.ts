/**
 * A machine of a pair: refusals at its set-up, so that the update fails and not the take-over; its take-over on Azure,
 * where it answers the load balancer's probe; and on AWS, against stand-ins of the instance metadata and of EC2. Proves the
 * requests, that curl signs them in the same way, and that success and refusal are distinguished; not a cloud's effect of
 * them, nor the time it needs. The fate of sessions is in pair-failures.test.ts.
 */
import { beforeAll, beforeEach, describe, expect, test } from "vitest";
import { awsMove } from "../../../components/aws/take-over.ts";
import { pairSources } from "../../../components/nat-instance/high-availability.ts";
import { type HighAvailability, natSetup } from "../../../components/nat-instance/index.ts";
import { judged } from "../../helpers/judged.ts";
import { standInOfAws } from "../../helpers/metadata-standin.ts";
import { INSTANCE, PRIVATE_CIDR, SERVER, sharedLab } from "../../helpers/nat-lab.ts";

const lab = sharedLab();
const run = (script: string) => lab.run("instance", script);

const pair: HighAvailability = {
  self: "198.18.1.1",
  peer: "198.18.1.9",
  translatedTo: "198.19.1.7",
  move: { kind: "nothing" },
  check: { address: SERVER, port: 7000 },
};
const setUp = (change: Partial<HighAvailability> = {}, environment = "") =>
  run(
    `${environment}\n${natSetup({ privateCidrs: [PRIVATE_CIDR], highAvailability: { ...pair, ...change } })}`,
  );
const role = () => run("cat /run/egress-bench-ha 2>/dev/null || echo none").trim();

test("refuses another machine's address and no link to the other one", async () => {
  expect(() => setUp({ self: "198.18.1.8" })).toThrow(
    "highAvailability: this machine does not have the address 198.18.1.8",
  );
  run("ip route add unreachable 203.0.113.0/24");
  expect(() => setUp({ peer: "203.0.113.9" })).toThrow("highAvailability: no link to 203.0.113.9");
  // With the link down the way to the other machine is the outside's default route, or a cable whose far end is out.
  for (const host of ["instance", "client"] as const) {
    lab.run(host, "ip link set eth0 down");
    expect(() => setUp()).toThrow("highAvailability: no link to 198.18.1.9");
    lab.run(host, "ip link set eth0 up");
  }
  expect(run("ls /run/egress-bench-ha.d 2>/dev/null || echo nothing runs").trim()).toBe("nothing runs");
  // A pair with a single machine so far is active, and forwards.
  setUp();
  // A busy processor may delay a look, after which the role is doubted until the next one.
  const said = () => JSON.parse(run("egress-bench-ha status || true"));
  await expect.poll(said, { timeout: 20_000 }).toMatchObject({
    role: "active",
    carries: true,
    peer_heard: false,
    ready: true,
  });
  // A boot takes over from nobody.
  expect(run("cat /run/egress-bench-ha-takeovers 2>/dev/null || :")).toBe("");
});

test("signs from other hosts than the peer, or with a wrong key, are not heard", async () => {
  await lab.renewInstance();
  lab.run("client", "ip address add 198.18.1.9/24 dev eth0");
  setUp({ key: "the pair's" });
  await expect.poll(role, { timeout: 10_000 }).toBe("active");
  // Of a higher term and confirmed: a machine that believed it would stand by.
  const word = (from: string, key: string) =>
    lab.run(
      "client",
      `python3 - <<'END'
import hashlib, hmac, json, socket
s = socket.socket(type=socket.SOCK_DGRAM)
s.bind(("${from}", 3781))
heard = {}
if "${from}" == "198.18.1.9":
    # A sign counts if its sender has heard this machine: its address, what arrived, whether it copies, its start, its number.
    s.settimeout(10)
    sign = json.loads(s.recv(65536)[40:])
    heard = {sign[3]: sign[4]}
text = json.dumps(["198.18.1.9", heard, True, "run", 1, 99, True, True, True, False]).encode()
def mac(text):
    return hmac.new(b"${key}", text, hashlib.sha256).digest()
s.sendto(mac(b"")[:8] + mac(text) + text, ("198.18.1.1", 3781))
END`,
    );
  word("198.18.1.2", "the pair's");
  word("198.18.1.9", "another");
  const refused = () => JSON.parse(run("egress-bench-ha status")).refused_total;
  await expect.poll(refused, { timeout: 20_000 }).toBe(1);
  expect(role()).toBe("active");
  // It is silent from then on: the role lasts for 0.3 s, as the log records.
  const stoodBy = () => run("grep -c 'standby, term' /run/egress-bench-supervisor.log || true").trim();
  const before = stoodBy();
  word("198.18.1.9", "the pair's");
  await expect.poll(stoodBy, { timeout: 20_000 }).not.toBe(before);
  await expect.poll(role, { timeout: 20_000 }).toBe("active");
  // A replayed sign is not heard again.
  word("198.18.1.9", "the pair's");
  await expect.poll(refused, { timeout: 20_000 }).toBe(2);
});

const PORT = 3782;

test("on Azure the first machine carries before it knows the other one's address, which it learns later", async () => {
  await lab.renewInstance();
  const azure = { self: INSTANCE, translatedTo: undefined, move: { kind: "probe", port: PORT } } as const;
  for (const peer of ["192.0.2.1", "198.19.1.77"]) {
    setUp({ ...azure, peer });
    await expect.poll(role, { timeout: 20_000 }).toBe("active");
    await expect
      .poll(() => run("egress-bench-ha ready && echo yes || echo no").trim(), { timeout: 20_000 })
      .toBe("yes");
    expect(run("nft list chain inet egress_bench input")).toContain(`ip saddr ${peer} udp dport 3781 accept`);
    expect(JSON.parse(run("cat /etc/egress-bench/pair.json")).peer).toBe(peer);
  }
});

test("on Azure only the machine that carries answers the probe, every time", () =>
  judged(async () => {
    await lab.renewInstance();
    const tester = { protocol: "tcp", port: PORT, cidrs: ["198.18.1.2/32"] } as const;
    setUp({ translatedTo: undefined, move: { kind: "probe", port: PORT }, inbound: [tester] });
    // Like the load balancer: connects, and closes.
    const answers = () =>
      lab
        .run(
          "client",
          `timeout 2 bash -c 'exec 3<>/dev/tcp/198.18.1.1/${PORT}' 2>/dev/null && echo yes || echo no`,
        )
        .trim();
    await expect.poll(role, { timeout: 10_000 }).toBe("active");
    expect([answers(), answers(), answers()]).toEqual(["yes", "yes", "yes"]);
    // A full table would drop packets that it has to track.
    expect(run(`conntrack -L -p tcp --dport ${PORT} -d 198.18.1.1 2>/dev/null`)).toBe("");
    run("setsid egress-bench-ha drain >/dev/null 2>&1 &");
    await expect.poll(answers, { timeout: 5_000 }).toBe("no");
    await expect.poll(answers, { timeout: 10_000 }).toBe("yes");
    run("egress-bench-ha crash");
    expect(answers()).toBe("no");
    expect(role()).toBe("none");
  }));

const own = { networkInterfaceId: "eni-1", privateAddress: "10.0.0.9", routeTableIds: ["rtb-1", "rtb-2"] };

/** Result as JSON of a method of the program's EC2 class. */
const asks = (method: string, moved: object = own) =>
  JSON.parse(
    run(`cd /tmp/pair && EGRESS_BENCH_AWS=http://169.254.169.254/ python3 -B - <<'END'
import ec2, json
outside = ec2.Outside(json.loads('${JSON.stringify(moved)}'))
print(json.dumps(outside.${method}))
END`)
      .trim()
      .split("\n")
      .at(-1) ?? "",
  );
const requests = () => run("sort /tmp/requests; rm /tmp/requests").trim().split("\n");

const signed = "Version=2016-11-15 True session== ec2/aws4_request";
const assign = `Action=AssignPrivateIpAddresses AllowReassignment=true NetworkInterfaceId=eni-1 PrivateIpAddress.1=10.0.0.9 ${signed}`;
const replace = (table: string) =>
  `Action=ReplaceRoute DestinationCidrBlock=0.0.0.0/0 NetworkInterfaceId=eni-1 RouteTableId=${table} ${signed}`;

describe("on AWS", () => {
  beforeAll(async () => {
    await lab.renewInstance();
    run(standInOfAws);
    run("mkdir /tmp/pair");
    for (const [name, text] of pairSources("ec2")) {
      run(`cat > /tmp/pair/${name} <<'END_OF_SOURCE'\n${text}END_OF_SOURCE`);
    }
  });
  beforeEach(() => {
    run("rm -f /tmp/requests /tmp/refused /tmp/answers");
  });

  test("the address and every route move, by signed requests of the machine's role", () => {
    expect(asks("take(lambda: True)")).toBeNull();
    expect(requests()).toEqual([assign, replace("rtb-1"), replace("rtb-2")]);
  });

  test("an address that EC2 refuses to move does not stop the routes", () => {
    run("echo AssignPrivateIpAddresses > /tmp/refused");
    expect(asks("take(lambda: True)")).toBeNull();
    expect(requests()).toEqual([assign, replace("rtb-1"), replace("rtb-2")]);
  });

  test("requests that are no longer wanted are not sent", () => {
    expect(asks("take(lambda: False)")).toBeNull();
    expect(run("ls /tmp/requests 2>/dev/null || echo none").trim()).toBe("none");
  });

  test("their targets are looked up, and an answer without them means that they are elsewhere", () => {
    expect(asks("carries()")).toBe(false);
    expect(requests()).toEqual([
      `Action=DescribeNetworkInterfaces NetworkInterfaceId.1=eni-1 ${signed}`,
      `Action=DescribeRouteTables RouteTableId.1=rtb-1 RouteTableId.2=rtb-2 ${signed}`,
    ]);
    run("echo DescribeRouteTables > /tmp/refused");
    expect(asks("carries()")).toBeNull();
  });

  test("a trial makes all requests and changes nothing", () => {
    expect(asks("allowed()")).toEqual([]);
    const asked = requests();
    expect(asked).toHaveLength(5);
    expect(asked.every((one) => one.includes("DryRun=true"))).toBe(true);
  });

  test.each(["AssignPrivateIpAddresses", "ReplaceRoute", "DescribeNetworkInterfaces", "DescribeRouteTables"])(
    "a role without %s is detected by name",
    (action) => {
      run(`echo ${action} > /tmp/refused`);
      const refused = asks("allowed()") as string[];
      expect(refused.length).toBeGreaterThan(0);
      for (const one of refused) expect(one).toMatch(new RegExp(`^${action}: `));
    },
  );

  test("in one subnet the Elastic IP comes with the first take, and then goes with its private address", () => {
    const first = { ...own, elasticIpId: "eipalloc-1" };
    const join = `Action=AssociateAddress AllocationId=eipalloc-1 AllowReassociation=true NetworkInterfaceId=eni-1 PrivateIpAddress=10.0.0.9 ${signed}`;
    asks("take(lambda: True)", first);
    expect(requests()).toEqual([assign, join, replace("rtb-1"), replace("rtb-2")]);
    expect(asks("allowed()", first)).toEqual([]);
    expect(requests()).toHaveLength(6);
    // Looked for with the private address, and asked for again only where it is not there.
    const routes = "<item>>0.0.0.0/0<>eni-1<</item>".repeat(2);
    const found = (more: string) =>
      run(
        `echo '{"DescribeNetworkInterfaces": "<item>>10.0.0.9<${more}</item>", "DescribeRouteTables": "${routes}"}' > /tmp/answers`,
      );
    found("");
    expect(asks("carries() or outside.take(lambda: True)", first)).toBeNull();
    expect(requests()).toContain(join);
    found(">eipalloc-1<");
    expect(asks("carries() and outside.take(lambda: True)", first)).toBeNull();
    expect(requests().filter((one) => !one.includes("Describe"))).toEqual([
      assign,
      replace("rtb-1"),
      replace("rtb-2"),
    ]);
  });

  test("in two subnets the Elastic IP moves from one private address to the other", () => {
    const apart = {
      networkInterfaceId: "eni-2",
      privateAddress: "10.0.2.9",
      allocationId: "eipalloc-1",
      routeTableIds: ["rtb-1"],
    };
    asks("take(lambda: True)", apart);
    expect(requests()).toEqual([
      `Action=AssociateAddress AllocationId=eipalloc-1 AllowReassociation=true NetworkInterfaceId=eni-2 PrivateIpAddress=10.0.2.9 ${signed}`,
      replace("rtb-1").replace("eni-1", "eni-2"),
    ]);
    asks("carries()", apart);
    expect(requests()[0]).toBe(`Action=DescribeAddresses AllocationId.1=eipalloc-1 ${signed}`);
  });

  test("curl, given the same request and time, makes the same signature", () => {
    run(`curl -s -K - -d Action=ReplaceRoute -d Version=2016-11-15 http://169.254.169.254/ <<'END'
aws-sigv4 = "aws:amz:eu-north-1:ec2"
user = "AKID:a/secret+key"
header = "X-Amz-Security-Token: session=="
END`);
    const { authorization, date, body } = JSON.parse(run("tail -n 1 /tmp/signatures"));
    const ours = run(`cd /tmp/pair && python3 -B - <<'END'
import calendar, time, ec2
time.time = lambda: calendar.timegm(time.strptime("${date}", "%Y%m%dT%H%M%SZ"))
known = {"AccessKeyId": "AKID", "SecretAccessKey": "a/secret+key", "Token": "session==", "region": "eu-north-1"}
print(ec2.signed(known, "169.254.169.254", "${body}")["Authorization"])
END`).trim();
    expect(ours).toBe(authorization);
  });

  test("a set-up whose role may not take over fails with one line, and the pair's program runs", async () => {
    run("echo ReplaceRoute > /tmp/refused");
    const environment = "export EGRESS_BENCH_AWS=http://169.254.169.254/ EGRESS_BENCH_PATIENCE=1";
    expect(() => setUp(awsMove(own), environment)).toThrow(
      /ReplaceRoute: .*\n.*this machine could not take over: its role must allow ec2:AssignPrivateIpAddresses, ec2:AssociateAddress and ec2:ReplaceRoute on the pair/,
    );
    await expect.poll(role, { timeout: 10_000 }).toBe("taking");
    run("! egress-bench-ha ready");
  });
});
