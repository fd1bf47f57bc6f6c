/**
 * User data of every kind of machine, run by the real cloud-init and systemd of Debian on its packaged cloud kernel. Not
 * shown: the images of clouds, which have another cloud-init and their own network configuration, and the installation of
 * packages, since nothing leads out of the guest.
 */
import { afterAll, beforeAll, describe, expect, test } from "vitest";
import { natBoot } from "../../components/nat-instance/cloud-machine.ts";
import { NAT_UNIT, natSetup } from "../../components/nat-instance/index.ts";
import { type CloudConfigArgs, cloudConfig, rolePackages } from "../../components/shared/cloud-init.ts";
import { newKeyPair } from "../../components/shared/key-pair.ts";
import { NAT } from "../guest/network.ts";
import { talk } from "../guest/talk.ts";
import { bootSystem, type System } from "./system.ts";

const hostKey = newKeyPair();
const privateCidrs = ["198.18.1.0/24"];

const BEATS = "/var/lib/heartbeats";
/** Records its arguments, and whether there was a way out. */
const heartbeat = `#!/bin/sh
echo "\${1:-beat} $(ip -4 route show default | grep -c .)" >> ${BEATS}
`;

/** A client with IPv6, and a server at a public IPv4 address that returns the source address that it sees. */
const ipv6Client = `set -e
ip -n client address add fd00:1::2/64 dev eth0 nodad
ip address add fd00:1::1/64 dev eth1 nodad
ip -n client route add default via fd00:1::1
ip -n server address add 11.0.0.9/32 dev lo
cat > /root/server.py <<'END_OF_PROGRAM'
import socket
listener = socket.create_server(("11.0.0.9", 78))
while True:
    connection, (address, _) = listener.accept()
    connection.sendall(address.encode())
    connection.close()
END_OF_PROGRAM
ip netns exec server python3 /root/server.py >/dev/null 2>&1 &
until ip netns exec server ss -Hltn sport :78 | grep -q .; do sleep 0.1; done`;
const reachServer = `python3 -c "
import socket
print(socket.create_connection(('64:ff9b::b00:9', 78), 5).recv(100).decode())"`;

/** Prefix of a package version newer than any. */
const NEWER = "99:";

/** A repository in the guest itself, with newer versions of the data plane's packages, named like Debian's own. */
const newerPackages = `set -e
mkdir -p /srv/newer; cd /srv/newer
for package in nftables conntrack; do
  dpkg-deb -R /srv/packages/$package"_"*.deb root
  sed -i 's/^Version: \\(.*:\\)\\?/Version: ${NEWER}/' root/DEBIAN/control
  dpkg-deb -b root $package.deb >/dev/null
  rm -r root
  { dpkg-deb -f $package.deb
    printf 'Filename: ./%s\\nSize: %s\\nSHA256: %s\\n\\n' $package.deb "$(stat -c %s $package.deb)" "$(sha256sum $package.deb | cut -d ' ' -f 1)"
  } >> Packages
done
printf 'Origin: Debian\\nLabel: Debian\\nSuite: stable\\nCodename: trixie\\nSHA256:\\n %s %s Packages\\n' \\
  "$(sha256sum Packages | cut -d ' ' -f 1)" "$(stat -c %s Packages)" > Release
rm -f /etc/apt/sources.list /etc/apt/sources.list.d/*
echo 'deb [trusted=yes] file:/srv/newer ./' > /etc/apt/sources.list
apt-get -q update`;

/** Boots it, and waits until cloud-init has finished. */
async function boot(config: Omit<CloudConfigArgs, "hostKey">): Promise<System> {
  const system = await bootSystem(cloudConfig({ hostKey, ...config }));
  try {
    const said = await system.run(
      "cloud-init status --wait >/dev/null; cloud-init status --long; tail -n 20 /var/log/cloud-init-output.log",
    );
    expect(said).toMatch(/^status: done$/m);
    return system;
  } catch (error) {
    await system.end();
    throw error;
  }
}

describe("a NAT instance", () => {
  let nat: System;
  beforeAll(async () => {
    nat = await boot({ ...natBoot(undefined), script: natSetup({ privateCidrs, heartbeat }) });
  });
  afterAll(() => nat?.end());
  const dataPlane = async () => (await nat.run("cat /run/egress-bench-data-plane")).trim();
  const tracked = () => nat.run("conntrack -L -p tcp 2>/dev/null");

  const changeRules = () => {
    const changed = natSetup({ privateCidrs, heartbeat, portRange: { first: 40_000, last: 40_099 } });
    return nat.run(`cat > /root/changed <<'END_OF_SET_UP'\n${changed}END_OF_SET_UP\nsh /root/changed`);
  };

  test("forwards after its boot, by the flowtable, and keeps a connection while its rules change", async () => {
    expect(await dataPlane()).toBe("flowtable");
    const connection = await talk(nat);
    await connection.exchange(20);
    expect(await tracked()).toMatch(`dst=${NAT} `);
    expect(await tracked()).toContain("[OFFLOAD]");
    await changeRules();
    await connection.exchange(20);
    expect(await nat.run("nft list ruleset")).toContain("40000-40099");

    // Unattended upgrades' steps for a package of the data plane.
    await nat.run("DEBIAN_FRONTEND=noninteractive dpkg -i /srv/packages/*.deb; systemctl daemon-reload");
    await connection.exchange(20);
    expect(await nat.run("nft list ruleset")).toContain("40000-40099");
  });

  test("beats repeatedly, reports its shutdown while there is still a way out, and beats after the boot", async () => {
    await nat.run(`until [ "$(grep -c '^beat 1' ${BEATS})" -ge 3 ]; do sleep 0.5; done`);
    expect(await nat.run(`cat ${BEATS}`)).not.toContain("leave");
    await nat.reboot();
    await nat.run(`until tail -n 1 ${BEATS} | grep -q beat; do sleep 0.5; done`);
    const said = (await nat.run(`cat ${BEATS}`)).trim().split("\n");
    expect(said.filter((one) => one.startsWith("leave"))).toEqual(["leave 1"]);
    await nat.run(`until systemctl is-active --quiet ${NAT_UNIT}; do sleep 0.2; done`);
  });

  test("upgrades its packages in its window, and a connection continues meanwhile", async () => {
    await nat.run(newerPackages);
    const connection = await talk(nat);
    await connection.exchange(20);
    const windowed = natSetup({ privateCidrs, upgradeWindow: { at: "03:30" } });
    await nat.run(`systemctl unmask apt-daily-upgrade.timer
cat > /root/windowed <<'END_OF_SET_UP'\n${windowed}END_OF_SET_UP\nsh /root/windowed
systemctl start apt-daily-upgrade.timer`);
    const versions = async () =>
      (await nat.run(`dpkg-query -W -f '\${Version}\\n' nftables conntrack`)).trim().split("\n");
    expect((await versions()).join()).not.toContain(NEWER);
    // Ten seconds before the window nothing runs; then the clock reaches it.
    await nat.run("date -s 'tomorrow 03:29:50'; ! systemctl is-active --quiet apt-daily-upgrade.service");
    const upgraded =
      nat.run(`until systemctl show -P ExecMainExitTimestamp apt-daily-upgrade.service | grep -q .; do sleep 1; done
systemctl show -P Result apt-daily-upgrade.service`);
    expect((await upgraded).trim()).toBe("success");
    const log = await nat.run("cat /var/log/unattended-upgrades/unattended-upgrades.log");
    expect(await versions(), log).toEqual([expect.stringContaining(NEWER), expect.stringContaining(NEWER)]);
    await connection.exchange(20);
    expect(await tracked()).toContain("[OFFLOAD]");
  });

  test("translates for an IPv6-only host, and continues when the translator dies", async () => {
    await nat.run(ipv6Client);
    const translating = natSetup({ privateCidrs, privateIpv6Cidrs: ["fd00:1::/64"], nat64: true });
    await nat.run(
      `cat > /root/translating <<'END_OF_SET_UP'\n${translating}END_OF_SET_UP\nsh /root/translating`,
    );
    expect(await nat.run("systemctl is-enabled tayga.service || :")).toBe("masked\n");
    expect(await nat.inHost("client", reachServer)).toBe(`${NAT}\n`);
    const pid = "systemctl show -P MainPID egress-bench-nat64";
    await nat.run(`old=$(${pid}); kill -9 $old
      until now=$(${pid}) && [ "$now" != 0 ] && [ "$now" != "$old" ]; do sleep 0.2; done`);
    expect(await nat.inHost("client", `until ${reachServer}; do sleep 0.2; done 2>/dev/null`)).toBe(
      `${NAT}\n`,
    );
  });

  test("forwards again after a reboot, by its latest rules", async () => {
    await changeRules();
    await nat.reboot();
    await nat.run(`until systemctl is-active --quiet ${NAT_UNIT}; do
      ! systemctl is-failed --quiet ${NAT_UNIT} || exit 1; sleep 0.2; done`);
    expect(await dataPlane()).toBe("flowtable");
    await (await talk(nat)).exchange(20);
    expect(await tracked()).toMatch(new RegExp(`dst=${NAT} sport=77 dport=400\\d\\d `));
  });
});

test.each(["bench", "jump"] as const)("a %s machine has its packages and its own key", async (role) => {
  const system = await boot({ packages: rolePackages[role] });
  try {
    expect(await system.run("cat /etc/ssh/ssh_host_*_key.pub")).toContain(hostKey.publicKey.split(" ")[1]);
    const states = await system.run(
      `dpkg-query -W -f '\${db:Status-Status}\\n' ${rolePackages[role].join(" ")} | sort -u`,
    );
    expect(states).toBe("installed\n");
  } finally {
    await system.end();
  }
});
