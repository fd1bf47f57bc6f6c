/**
 * What else changes a NAT instance's rules or kernel settings is noticed by the program that its timer runs, undone, and
 * said. Real rules and traffic in the lab; systemd is another one's, and the timer's own run is the last test's.
 */
import { describe, expect, test } from "vitest";
import { type NatSetupArgs, NOTES_FILE, natSetup } from "../../../components/nat-instance/index.ts";
import { INSTANCE, type NatLab, PRIVATE_CIDR, SERVER, sharedLab } from "../../helpers/nat-lab.ts";

const PROGRAM = "/usr/local/sbin/egress-bench-nat-instance";

function setUp(lab: NatLab, args: Partial<NatSetupArgs> = {}): void {
  const text = natSetup({ privateCidrs: [PRIVATE_CIDR], dataPlane: "nftables", ...args });
  lab.run("instance", `cat > /tmp/set-up <<'END_OF_SET_UP'\n${text}END_OF_SET_UP\nsh /tmp/set-up`);
}

/** What the timer runs. @returns what it said */
const look = (lab: NatLab) => lab.run("instance", `sh ${PROGRAM} if-drifted`);
const drifts = (lab: NatLab) =>
  lab.run("instance", "cat /run/egress-bench-nat-drifts 2>/dev/null || :").trim();
const translated = (lab: NatLab) => lab.flows("tcp").map(({ address }) => address);

const lab = sharedLab();

describe("the program that looks for a drift", () => {
  test("changes nothing where nothing has changed, nor where the tables of others have", () => {
    setUp(lab);
    const handles = "nft -a list table inet egress_bench | grep -o 'handle.*'";
    const before = lab.run("instance", handles);
    lab.run("instance", "nft add table inet mine; nft add chain inet mine kept");
    translated(lab);
    expect(look(lab)).toBe("");
    // Loaded anew they would have other numbers.
    expect(lab.run("instance", handles)).toBe(before);
    expect(drifts(lab)).toBe("");
    lab.run("instance", "nft delete table inet mine");
  });

  test.each<[string, Partial<NatSetupArgs>, string, RegExp]>([
    ["all rules flushed", {}, "nft flush ruleset", /^< table inet egress_bench/m],
    [
      "a rule more",
      {},
      "nft insert rule inet egress_bench forward tcp dport 7000 drop",
      /^> .*tcp dport 7000 drop/m,
    ],
    [
      "forwarding turned off",
      {},
      "sysctl -qw net.ipv4.ip_forward=0",
      /^< net.ipv4.ip_forward = 1\n> net.ipv4.ip_forward = 0$/m,
    ],
    [
      "another time-out",
      {},
      "sysctl -qw net.netfilter.nf_conntrack_tcp_timeout_established=60",
      /^> .*established = 60$/m,
    ],
    [
      "iptables' rule deleted",
      { dataPlane: "iptables", strict: true },
      "iptables -t nat -F POSTROUTING",
      /^< .*MASQUERADE/m,
    ],
  ])("undoes, says and counts: %s", (_, args, spoil, says) => {
    setUp(lab, args);
    lab.run("instance", "rm -f /run/egress-bench-nat-drifts");
    const inForce =
      "sysctl net.ipv4.ip_forward net.netfilter.nf_conntrack_tcp_timeout_established; nft -s list ruleset; iptables -t nat -S";
    const before = lab.run("instance", inForce);
    lab.run("instance", spoil);
    const said = look(lab);
    expect(said).toMatch(
      /^egress-bench: something else has changed rules or kernel settings, which are set up again:$/m,
    );
    expect(said).toMatch(says);
    expect(lab.run("instance", inForce)).toBe(before);
    expect(translated(lab)).toEqual([INSTANCE]);
    expect(drifts(lab)).toMatch(/^\d{4}-\d\d-\d\dT\d\d:\d\d:\d\dZ$/);
    expect(lab.run("instance", `cat ${NOTES_FILE}`)).toContain(
      `set up again because something else had changed them: 1 times, last at ${drifts(lab)}`,
    );
    expect(look(lab)).toBe("");
  });

  test("tries again where the set-up failed in between", () => {
    setUp(lab);
    lab.run("instance", "nft flush ruleset; ip route del default");
    expect(() => look(lab)).toThrow(/no IPv4 default route shows the outside interface/);
    lab.run("instance", `ip route add default via ${SERVER}`);
    look(lab);
    expect(translated(lab)).toEqual([INSTANCE]);
  });

  test("waits for a set-up that is under way, which is no drift", () => {
    setUp(lab);
    lab.run("instance", "rm -f /run/egress-bench-nat-drifts");
    lab.run(
      "instance",
      `for _ in 1 2 3 4; do sh ${PROGRAM} & sh ${PROGRAM} if-drifted & done >/dev/null; wait`,
    );
    expect(drifts(lab)).toBe("");
    expect(translated(lab)).toEqual([INSTANCE]);
  });
});

/** Exchanges as many bytes over one connection as it is asked to. */
const talk = `
import socket, sys
if sys.argv[1] == "serve":
    listener = socket.create_server(("0.0.0.0", 7100))
    print("listening", flush=True)
    connection, _ = listener.accept()
    while data := connection.recv(100):
        connection.sendall(data)
    sys.exit()
connection = socket.create_connection(("${SERVER}", 7100), 5)
print("connected", flush=True)
while True:
    for _ in range(int(open("/tmp/ask").read())):
        connection.sendall(b"x")
        assert connection.recv(1) == b"x"
    open("/tmp/exchanged", "w").write("all")
`;

/** Of the client's one connection to the server. */
const port = (lab: NatLab) => /:(\d+) +\S+:7100/.exec(lab.run("client", "ss -Htn dst :7100"))?.[1];

test("a connection outlives that the rules are flushed and set up again, unless the outside sends meanwhile", async () => {
  setUp(lab);
  // As in a cloud, nobody outside knows a way to a private address.
  lab.run("server", "ip route del 198.18.0.0/16");
  const start = (role: string) =>
    `cat > /tmp/talk.py <<'END'\n${talk}END\nmkfifo /tmp/said /tmp/ask; setsid python3 /tmp/talk.py ${role} </dev/null >/tmp/said 2>/tmp/log & head -n 1 /tmp/said`;
  lab.run("server", start("serve"));
  lab.run("client", start("call"));
  const ask = () => lab.run("client", "rm -f /tmp/exchanged; echo 5 > /tmp/ask");
  const answered = () =>
    expect.poll(() => lab.run("client", "cat /tmp/exchanged || :"), { timeout: 20_000 }).toBe("all");
  ask();
  await answered();
  const before = port(lab);
  expect(before).toMatch(/^\d+$/);
  // What is not acknowledged would be sent again, and the machine itself would reset it.
  await expect.poll(() => lab.run("server", "ss -Htni sport :7100")).not.toContain("unacked");
  lab.run("instance", "nft flush ruleset");
  ask();
  look(lab);
  await answered();
  expect(port(lab)).toBe(before);
});
