/**
 * When a NAT instance's packages are upgraded: the set-up's own text in a lab host, with a stand-in of systemctl and the real
 * apt-config. Not proved: that systemd runs the timer then.
 */
import { expect, test } from "vitest";
import { natSetup } from "../../../components/nat-instance/index.ts";
import { natLab, PRIVATE_CIDR } from "../../helpers/nat-lab.ts";

const systemctl = `mkdir -p /run/systemd/system
cat > /usr/local/sbin/systemctl <<'END_OF_STANDIN'
#!/bin/sh
echo "$*" >> /tmp/systemctl.log
END_OF_STANDIN
chmod 755 /usr/local/sbin/systemctl
ln -sf /bin/true /usr/local/sbin/unattended-upgrade
`;

test("the image's times go, the owner's come, and a reboot only where it is asked for", async () => {
  const lab = await natLab();
  const setUp = (upgradeWindow: { at: string; reboot?: boolean }) =>
    lab.run("box", natSetup({ privateCidrs: [PRIVATE_CIDR], upgradeWindow }));
  const reboots = () => lab.run("box", "apt-config dump Unattended-Upgrade::Automatic-Reboot").trim();
  setUp({ at: "Sun 03:30" });
  const without = lab.run("box", "grep -c 'no upgrade window' /run/egress-bench-notes || true").trim();
  expect(without).toBe("1");
  lab.run("box", systemctl);
  setUp({ at: "Sun 03:30" });
  const dropIn = "cat /etc/systemd/system/apt-daily-upgrade.timer.d/egress-bench.conf";
  expect(lab.run("box", dropIn)).toBe(
    "[Timer]\nOnCalendar=\nOnCalendar=Sun *-*-* 03:30\nRandomizedDelaySec=0\nPersistent=false\n",
  );
  expect(reboots()).toContain('Automatic-Reboot "false"');
  expect(lab.run("box", "cat /run/egress-bench-notes")).not.toContain("upgrade");
  const asked = lab.run("box", "cat /tmp/systemctl.log").split("\n");
  expect(asked.indexOf("try-restart apt-daily-upgrade.timer")).toBeGreaterThan(
    asked.indexOf("daemon-reload"),
  );
  setUp({ at: "04:00", reboot: true });
  expect(lab.run("box", dropIn)).toContain("OnCalendar=*-*-* 04:00\n");
  expect(reboots()).toContain('Automatic-Reboot "true"');
});
