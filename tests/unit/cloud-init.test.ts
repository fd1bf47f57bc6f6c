import { describe, expect, test } from "vitest";
import { parse } from "yaml";
import { natBoot } from "../../components/nat-instance/cloud-machine.ts";
import { type CloudConfigArgs, cloudConfig, installPackages } from "../../components/shared/cloud-init.ts";

const hostKey = { privateKey: "-----BEGIN\nkey\n-----END", publicKey: "ssh-ed25519 AAAA" };

function configOf(args: Omit<CloudConfigArgs, "hostKey">) {
  const text = cloudConfig({ hostKey, ...args });
  expect(text.startsWith("#cloud-config\n")).toBe(true);
  return parse(text, { version: "1.1" });
}

describe("cloudConfig", () => {
  test("gives the machine its host key, in OpenSSH's form, and no other", () => {
    expect(configOf({})).toEqual({
      ssh_deletekeys: true,
      ssh_keys: { ed25519_private: "-----BEGIN\nkey\n-----END\n", ed25519_public: "ssh-ed25519 AAAA\n" },
    });
    const ended = { ...hostKey, privateKey: `${hostKey.privateKey}\n` };
    expect(cloudConfig({ hostKey: ended })).toBe(cloudConfig({ hostKey }));
  });

  test("opens the default user to the keys given", () => {
    const keys = ["ssh-ed25519 BBBB operator", "ssh-ed25519 CCCC"];
    expect(configOf({ authorizedKeys: keys }).ssh_authorized_keys).toEqual(keys);
  });

  test("installs packages before it runs the script, and stops at the first failure", () => {
    const config = configOf({ packages: ["iperf3"], script: "#!/bin/sh\ntrue\n" });
    const [install, setUp] = config.write_files;
    expect(config.runcmd).toEqual(["set -e", [install.path], [setUp.path]]);
    expect(install).toMatchObject({ permissions: "0755", content: installPackages(["iperf3"]) });
    expect(setUp).toMatchObject({ permissions: "0700", content: "#!/bin/sh\ntrue\n" });
    expect(config).not.toHaveProperty("packages");
  });

  test("sets a NAT instance up before packages if its image can, and with further modules of its kernel", () => {
    const boot = natBoot(undefined);
    const config = configOf({ ...boot, script: "#!/bin/sh\ntrue\n" });
    const [first, early, install, modules, setUp, ...others] = config.runcmd;
    const path = setUp[0];
    expect([first, early, others]).toEqual(["set -e", `! command -v nft >/dev/null || ${path} || true`, []]);
    expect(install).toEqual([config.write_files[0].path]);
    expect(modules).toMatch(
      /^modinfo -n nft_flow_offload .*"linux-modules-extra-\$\(uname -r\)".* \|\| true$/,
    );
    expect(configOf({ ...natBoot({ dataPlane: "iptables" }), script: "true" }).runcmd).toHaveLength(4);
  });

  test("powers off a machine whose set-up fails, if another one replaces it", () => {
    const config = configOf({ script: "true", powerOffWithout: "nat.service" });
    const { path } = config.write_files.at(-1);
    expect(config.write_files[0]).toEqual({
      path: "/etc/systemd/system/nat.service.d/egress-bench.conf",
      content: "[Unit]\nFailureAction=poweroff\n",
      permissions: "0644",
    });
    expect(config.runcmd.slice(0, 3)).toEqual([
      "set -e",
      `trap '[ "$?" = 0 ] || ${path} || shutdown -h +1' EXIT`,
      ["systemctl", "daemon-reload"],
    ]);
    expect(configOf({ powerOffWithout: "nat.service" }).runcmd).toEqual([
      "set -e",
      ["systemctl", "daemon-reload"],
    ]);
  });

  test("sets apt's mirror and proxy, including security updates, and changes nothing without them", () => {
    const mirror = "http://mirror.example.com/ubuntu";
    const proxy = "http://10.0.0.9:3128";
    const sources = [{ arches: ["default"], uri: mirror }];
    expect(configOf(natBoot({ packageMirror: mirror, packageProxy: proxy })).apt).toEqual({
      primary: sources,
      security: sources,
      http_proxy: proxy,
      https_proxy: proxy,
    });
    expect(configOf(natBoot({ packageProxy: proxy })).apt).toEqual({ http_proxy: proxy, https_proxy: proxy });
    expect(configOf(natBoot({}))).not.toHaveProperty("apt");
  });

  test("runs the owner's own script last", () => {
    const config = configOf({ packages: ["iperf3"], script: "true", extraScript: "echo mine" });
    expect(config.write_files.at(-1).content).toBe("echo mine");
    expect(config.runcmd.at(-1)).toEqual([config.write_files.at(-1).path]);
  });

  test("writes files with their permissions as text, which YAML would take for a number", () => {
    const files = [
      { path: "/etc/a", content: "yes" },
      { path: "/etc/b", content: "# x: y\n\ttab\n", permissions: "0600" },
    ];
    expect(configOf({ files }).write_files).toEqual([{ ...files[0], permissions: "0644" }, files[1]]);
  });
});
