/**
 * How a NAT instance of a pair takes over on AWS: the very shell text, against stand-ins of the instance metadata and of
 * EC2 in a lab host. Proves which requests are made, and that success and refusal are distinguished; not that AWS takes the
 * signature, nor how long it needs.
 */
import { beforeEach, expect, test } from "vitest";
import { awsMove } from "../../../components/aws/take-over.ts";
import { runInHost } from "../../../components/local/lab/enter.ts";
import { startHosts, testLab } from "../../helpers/lab-hosts.ts";

/** Both on one port; EC2 says no to what /tmp/refused names. */
const standIns = `
import http.server, os, threading, urllib.parse
METADATA = {
    "meta-data/placement/region": "eu-north-1",
    "meta-data/services/domain": "amazonaws.com",
    "meta-data/iam/security-credentials/": "pair-role",
    "meta-data/iam/security-credentials/pair-role":
        '{\\n  "AccessKeyId" : "AKID",\\n  "SecretAccessKey" : "a/secret+key",\\n  "Token" : "session=="\\n}',
}
class Handler(http.server.BaseHTTPRequestHandler):
    def answer(self, status, text):
        self.send_response(status)
        self.end_headers()
        self.wfile.write(text.encode())
    def do_PUT(self):
        self.answer(200, "metadata-token")
    def do_GET(self):
        known = self.headers.get("X-aws-ec2-metadata-token") == "metadata-token"
        self.answer(200 if known else 401, METADATA[self.path.removeprefix("/latest/")])
    def do_POST(self):
        body = self.rfile.read(int(self.headers["Content-Length"])).decode()
        asked = dict(urllib.parse.parse_qsl(body))
        signature = self.headers.get("Authorization", "")
        scope = "Credential=AKID/" in signature and "/eu-north-1/ec2/aws4_request" in signature
        token = self.headers.get("X-Amz-Security-Token")
        with open("/tmp/requests", "a") as log:
            print(" ".join(f"{k}={v}" for k, v in sorted(asked.items())), scope, token, file=log)
        if os.path.exists("/tmp/refused") and open("/tmp/refused").read().strip() == asked["Action"]:
            self.answer(403, "<Code>UnauthorizedOperation</Code>")
        elif asked.get("DryRun") == "true":
            self.answer(412, "<Code>DryRunOperation</Code>")
        else:
            self.answer(200, "<return>true</return>")
    def log_message(self, *_):
        pass
server = http.server.ThreadingHTTPServer(("169.254.169.254", 80), Handler)
print("listening", flush=True)
server.serve_forever()
`;

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
  run(`ip address add 169.254.169.254/32 dev lo
cat > /tmp/server.py <<'END_OF_PROGRAM'
${standIns}END_OF_PROGRAM
mkfifo /tmp/ready
setsid python3 /tmp/server.py </dev/null >/tmp/ready 2>/tmp/server.log &
head -n 1 /tmp/ready`);
});

/** Whether the function succeeds, as the program of a pair would call it. */
const calls = (name: string) =>
  run(`EGRESS_BENCH_EC2=http://169.254.169.254/
${move.definitions}
take_addresses() {
${move.take}
}
may_take_addresses() {
${move.allowed}
}
${name} && echo yes || echo no`).trim();
const requests = () => run("sort /tmp/requests; rm /tmp/requests").trim().split("\n");

const assign =
  "Action=AssignPrivateIpAddresses AllowReassignment=true NetworkInterfaceId=eni-1 PrivateIpAddress.1=10.0.0.9 Version=2016-11-15 True session==";
const replace = (table: string) =>
  `Action=ReplaceRoute DestinationCidrBlock=0.0.0.0/0 NetworkInterfaceId=eni-1 RouteTableId=${table} Version=2016-11-15 True session==`;

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
  expect(calls("log_in_to_ec2 && may_take_over")).toBe("no");
  expect(calls("log_in_to_ec2 && take_over")).toBe("no");
});

test("the key is in no command line", () => {
  expect(move.definitions).toContain("-K -");
  expect(move.definitions).not.toMatch(/curl[^\n]*SecretAccessKey/);
});
