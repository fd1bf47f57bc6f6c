/**
 * User data of every kind of machine, run by the real cloud-init and systemd of Debian on its packaged cloud kernel. Not
 * shown: the images of clouds, which have another cloud-init and their own network configuration, and the installation of
 * packages, since nothing leads out of the guest.
 */
import { afterAll, beforeAll, describe, expect, test } from "vitest";
import { NAT_UNIT, natSetup } from "../../components/nat-instance/index.ts";
import { type CloudConfigArgs, cloudConfig, rolePackages } from "../../components/shared/cloud-init.ts";
import { newKeyPair } from "../../components/shared/key-pair.ts";
import { natBoot } from "../../components/shared/nat-set-up.ts";
import { NAT } from "../guest/network.ts";
import { talk } from "../guest/talk.ts";
import { bootSystem, type System } from "./system.ts";

const hostKey = newKeyPair();
const privateCidrs = ["198.18.1.0/24"];

/** Boots it, and waits until cloud-init has done what it was given. */
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
    nat = await boot({ ...natBoot(undefined), script: natSetup({ privateCidrs }) });
  });
  afterAll(() => nat?.end());
  const dataPlane = async () => (await nat.run("cat /run/egress-bench-data-plane")).trim();
  const tracked = () => nat.run("conntrack -L -p tcp 2>/dev/null");

  const changeRules = () => {
    const changed = natSetup({ privateCidrs, portRange: { first: 40_000, last: 40_099 } });
    return nat.run(`cat > /root/changed <<'END_OF_SET_UP'\n${changed}END_OF_SET_UP\nsh /root/changed`);
  };

  test("comes up forwarding, by the flowtable, and keeps a connection while its rules change", async () => {
    expect(await dataPlane()).toBe("flowtable");
    const connection = await talk(nat);
    await connection.exchange(20);
    expect(await tracked()).toMatch(`dst=${NAT} `);
    expect(await tracked()).toContain("[OFFLOAD]");
    await changeRules();
    await connection.exchange(20);
    expect(await nat.run("nft list ruleset")).toContain("40000-40099");

    // What unattended upgrades run of a package that the data plane is made by.
    await nat.run("DEBIAN_FRONTEND=noninteractive dpkg -i /srv/packages/*.deb; systemctl daemon-reload");
    await connection.exchange(20);
    expect(await nat.run("nft list ruleset")).toContain("40000-40099");
  });

  test("forwards again after a reboot, by the rules that it was given last", async () => {
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
