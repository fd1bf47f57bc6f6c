/**
 * What cloud-init does on a machine.
 *
 * @module
 */
import * as pulumi from "@pulumi/pulumi";
import type { HostFacts } from "./linux-host.ts";

/** What the benchmark's tools need on client and server, from Ubuntu's own archive. */
const benchPackages = ["iperf3", "sockperf", "sysstat", "ethtool", "jq"];
const natPackages = ["nftables", "conntrack", "ethtool", "sysstat"];

/** A client or a server. */
export function benchUserData({ hostKey }: HostFacts): pulumi.Output<string> {
  return userData({ hostKey, packages: benchPackages });
}

/** A machine that only passes logins on. */
export function jumpUserData({ hostKey }: HostFacts): pulumi.Output<string> {
  return userData({ hostKey, packages: [] });
}

/** A NAT machine: `setup` runs as root after its packages are there. */
export function natUserData({ hostKey }: HostFacts, setup: pulumi.Input<string>): pulumi.Output<string> {
  return userData({ hostKey, packages: natPackages, setup });
}

interface UserDataArgs {
  readonly hostKey: HostFacts["hostKey"];
  readonly packages: readonly string[];
  readonly setup?: pulumi.Input<string>;
}

function userData({ hostKey, packages, setup }: UserDataArgs): pulumi.Output<string> {
  return pulumi
    .all([hostKey.privateKey, hostKey.publicKey, setup])
    .apply(([ed25519_private, ed25519_public, script]) => {
      const config = {
        ssh_keys: { ed25519_private, ed25519_public },
        apt: { conf: 'DPkg::Lock::Timeout "300";' },
        ...(packages.length === 0 ? {} : { package_update: true, packages }),
        ...(script === undefined
          ? {}
          : {
              write_files: [{ path: SETUP, permissions: "0700", content: script }],
              runcmd: [[SETUP]],
            }),
      };
      return `#cloud-config\n${JSON.stringify(config, null, 1)}\n`;
    });
}

const SETUP = "/usr/local/sbin/egress-bench-setup";
