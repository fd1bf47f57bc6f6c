/**
 * Hosts that egress-bench did not make: a client behind a jump host, a NAT machine, and a server, each with an SSH server and its
 * owner's files. Their contents can be compared before and after.
 */
import { execFileSync } from "node:child_process";
import { writeFileSync } from "node:fs";
import { join } from "node:path";
import { runInHost } from "../../components/local/lab/enter.ts";
import { startHost } from "../../components/local/lab/hosts.ts";
import { makeLink } from "../../components/local/lab/links.ts";
import { initProcess } from "../../components/local/lab/living-hosts.ts";
import { newKeyPair } from "../../components/shared/key-pair.ts";

export const NAT_OUTSIDE = "198.18.201.1";
const SERVER = "198.18.201.2";
const CLIENT = "198.18.200.2";

type ForeignHost = "client" | "jump" | "nat" | "server";
const names: readonly ForeignHost[] = ["client", "jump", "nat", "server"];

export interface ForeignHosts {
  /** Options of the topology `existing`, as in a stack's file. */
  readonly options: { readonly client: object; readonly server: object; readonly nat: object };
  on(host: ForeignHost, script: string): string;
  /** Files, processes, packages and settings of each host, one per line. */
  snapshot(): string[];
}

/**
 * `bench` may not become root, and nobody may write to the client's /usr. Its sudo refuses, and leaves a time stamp like sudo
 * 1.9.13, except with `-k`.
 */
const unprivileged = `
useradd --create-home --shell /bin/bash --password '*' bench
chmod 755 /etc/egress-bench
chmod 644 /etc/egress-bench/authorized_keys
mkdir -m 1777 /run/sudo
cat >/usr/bin/sudo <<'EOF'
#!/bin/sh
case "$1" in *k*) ;; *) : >"/run/sudo/$(id -un)" ;; esac
echo "sudo: a password is required" >&2
exit 1
EOF
chmod 755 /usr/bin/sudo
mount --bind /usr /usr
mount -o remount,bind,ro /usr
/usr/sbin/sshd -f /etc/egress-bench/sshd_config -p 22 </dev/null >/dev/null 2>&1`;

const translating = `
sysctl -qw net.ipv4.ip_forward=1
nft 'add table ip owner; add chain ip owner post { type nat hook postrouting priority 100; }'
nft 'add rule ip owner post oifname "outside" masquerade'`;

/** @param directory Directory of the login key. */
export async function foreignHosts(lab: string, directory: string): Promise<ForeignHosts> {
  const operator = newKeyPair();
  const keyFile = join(directory, "key");
  writeFileSync(keyFile, operator.privateKey, { mode: 0o600 });
  const keys = Object.fromEntries(names.map((name) => [name, newKeyPair()]));
  const living = await Promise.all(
    names.map((host) => {
      const { privateKey: hostKey } = keys[host]!;
      return startHost({ lab, host, generation: "1", hostKey, authorizedKey: operator.publicKey });
    }),
  );
  const on = (host: ForeignHost, script: string) => runInHost(lab, host, script);
  link(lab);
  on("client", unprivileged);
  on("nat", translating);
  const login = (host: ForeignHost) => ({
    ...{ address: "127.0.0.1", port: living[names.indexOf(host)]!.sshPort, user: "root", keyFile },
    hostKey: keys[host]!.publicKey,
  });
  return {
    options: {
      client: { ...login("client"), address: CLIENT, port: 22, user: "bench", jump: login("jump") },
      nat: { ...login("nat"), dataAddress: "198.18.200.1" },
      server: { ...login("server"), dataAddress: SERVER },
    },
    on,
    snapshot: () => names.flatMap((name) => stateOf(lab, name).map((line) => `${name}: ${line}`)),
  };
}

function link(lab: string): void {
  const shape = {};
  const inside = { host: "nat", interface: "inside", address: "198.18.200.1/24" };
  const routes = [{ to: "default", via: "198.18.200.1" }];
  const outside = { host: "nat", interface: "outside", address: `${NAT_OUTSIDE}/24` };
  makeLink({
    ...{ lab, shape },
    ends: [inside, { host: "client", interface: "eth0", address: `${CLIENT}/24`, routes }],
  });
  makeLink({
    ...{ lab, shape },
    ends: [outside, { host: "server", interface: "eth0", address: `${SERVER}/24` }],
  });
  makeLink({
    ...{ lab, shape },
    ends: [
      { host: "jump", interface: "eth0", address: "198.18.202.1/32", routes: [{ to: `${CLIENT}/32` }] },
      { host: "client", interface: "eth1", routes: [{ to: "198.18.202.1/32" }] },
    ],
  });
}

/** All files written on top of the machine's own root. */
const writtenFiles = `
find /tmp/upper ! -path '*/var/log/*' -printf '%P %y %m %u %g %s\\n' | sort
find /tmp/upper -type f ! -path '*/var/log/*' -exec sha256sum {} + | sort -k 2`;
const filesInMemory =
  "find /root /run /tmp /dev/shm -xdev -printf '%p %y %m %u %s\\n' | grep -v '^/run/nologin' | sort";
const processes =
  "ps -eo user,args --no-headers | grep -vE 'ps -eo|sort|sshd.*(\\[|-ie)|socat|sleep (0.2|5)$|grep|sh -s' | sort";
const settings = `
dpkg-query -W | sha256sum
sysctl -a 2>/dev/null | grep '^net\\.' | grep -vE 'conntrack_count|random|route.gc|mem ='
ip -4 -o address; ip route; ip -o link | sed 's/ qlen.*//'; nft list ruleset; crontab -l 2>&1 || :`;

function stateOf(lab: string, host: string): string[] {
  const { pid } = initProcess(lab, host);
  const written = execFileSync("nsenter", ["-t", String(pid), "-m", "sh", "-c", writtenFiles], {
    encoding: "utf8",
  });
  return [
    written,
    ...[filesInMemory, processes, settings].map((script) => runInHost(lab, host, script)),
  ].flatMap((text) => text.trimEnd().split("\n"));
}
