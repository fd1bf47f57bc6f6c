/**
 * Hosts with the userland of another distribution: a root of its packages on a lab host, with an SSH server in it. Their kernel is this
 * machine's.
 */
import { execFileSync } from "node:child_process";
import { existsSync, mkdirSync, renameSync, rmSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { fileURLToPath } from "node:url";
import { runInHost } from "../../components/local/lab/enter.ts";
import { startHost } from "../../components/local/lab/hosts.ts";
import { makeLink } from "../../components/local/lab/links.ts";
import { initProcess } from "../../components/local/lab/living-hosts.ts";
import { newKeyPair } from "../../components/shared/key-pair.ts";

export interface Userland {
  readonly suite: string;
  readonly python: string;
  readonly distribution: "debian" | "ubuntu";
  /** Whether busybox replaces all programs that it has, as on Alpine. Before 1.34 its `timeout` has no `-k`. */
  readonly isBusybox?: boolean;
}

export const userlands: readonly Userland[] = [
  { suite: "focal", python: "3.8", distribution: "ubuntu" },
  { suite: "bullseye", python: "3.9", distribution: "debian" },
  { suite: "jammy", python: "3.10", distribution: "ubuntu" },
  { suite: "noble", python: "3.12", distribution: "ubuntu" },
  { suite: "trixie", python: "3.13", distribution: "debian" },
  { suite: "trixie", python: "3.13", distribution: "debian", isBusybox: true },
];

const PACKAGES = "openssh-server,python3,iperf3,busybox-static";
const roots = fileURLToPath(new URL("../../.tools/userlands", import.meta.url));

/** Makes a release's root of its packages, once. */
function ensureRoot({ suite, distribution }: Userland): string {
  const root = join(roots, suite);
  if (!existsSync(root)) {
    mkdirSync(roots, { recursive: true });
    rmSync(`${root}.part`, { recursive: true, force: true });
    // Debian has no package with the keys of Ubuntu's archive. This root runs in a namespace without a way out.
    const source =
      distribution === "debian"
        ? `deb http://deb.debian.org/debian ${suite} main`
        : `deb [trusted=yes] http://archive.ubuntu.com/ubuntu ${suite} main universe`;
    const options = ["--mode=root", "--variant=apt", `--include=${PACKAGES}`, "--format=directory"];
    execFileSync("mmdebstrap", [...options, suite, `${root}.part`, source], { stdio: "pipe" });
    renameSync(`${root}.part`, root);
  }
  return root;
}

export const CLIENT = "198.18.200.2";
const SERVER = "198.18.200.1";

/** Puts busybox's programs in place of the distribution's own. */
const onlyBusybox = `
cp "$(command -v busybox)" /usr/local/lib/busybox
for applet in $(busybox --list); do
  case $applet in busybox|init|login|passwd|su) continue ;; esac
  for directory in /bin /sbin /usr/bin /usr/sbin /usr/local/bin; do
    [ ! -e "$directory/$applet" ] || busybox ln -sf /usr/local/lib/busybox "$directory/$applet"
  done
done
busybox rm -f /bin/bash /usr/bin/bash /usr/bin/dpkg* /usr/bin/apt*
sed -i s,/bin/bash,/bin/sh, /etc/passwd`;

function setUp({ isBusybox = false }: Userland, user: string): string {
  return `set -e
export PATH=/usr/local/sbin:/usr/local/bin:/usr/sbin:/usr/bin:/sbin:/bin
[ ${user} = root ] || useradd --create-home --shell /bin/sh --password '*' ${user}
mkdir -p /run/sshd /etc/egress-bench
${isBusybox ? onlyBusybox : ""}`;
}

/** Hosts with a release's userland. @returns options of the topology `existing`, and a way to ask the hosts' userland */
export async function userlandHosts(lab: string, userland: Userland, directory: string) {
  const root = ensureRoot(userland);
  const operator = newKeyPair();
  const keyFile = join(directory, "key");
  writeFileSync(keyFile, operator.privateKey, { mode: 0o600 });
  const makeHost = async (host: "client" | "server", user: string) => {
    const { privateKey: hostKey, publicKey } = newKeyPair();
    const { sshPort } = await startHost({
      lab,
      host,
      generation: "1",
      hostKey,
      authorizedKey: operator.publicKey,
    });
    enterRoot(lab, host, root, setUp(userland, user));
    const key = { keyFile, hostKey: publicKey };
    return { key, jump: { ...key, address: "127.0.0.1", port: sshPort, user: "root" }, user };
  };
  const client = await makeHost("client", "bench");
  const server = await makeHost("server", "root");
  makeLink({
    lab,
    shape: {},
    ends: [
      { host: "client", interface: "eth0", address: `${CLIENT}/24` },
      { host: "server", interface: "eth0", address: `${SERVER}/24` },
    ],
  });
  const login = ({ key, jump, user }: typeof client, address: string) => ({
    ...key,
    jump,
    user,
    address,
    port: 2222,
  });
  return {
    topology: {
      topology: "existing",
      name: "other",
      client: login(client, CLIENT),
      server: login(server, SERVER),
    },
    on: (host: "client" | "server", script: string) =>
      runInHost(lab, host, `chroot /mnt/root /bin/sh -c ${JSON.stringify(script)}`),
  };
}

/** Unpacks a root into a lab host's memory, and starts an SSH server there with the lab host's keys. */
function enterRoot(lab: string, host: string, root: string, script: string): void {
  runInHost(
    lab,
    host,
    `set -e
mount -t tmpfs none /mnt
mkdir /mnt/root`,
  );
  const { pid } = initProcess(lab, host);
  execFileSync("sh", [
    "-c",
    `tar -C ${root} -c --exclude=./dev . | nsenter -t ${pid} -m -r tar -x -C /mnt/root`,
  ]);
  runInHost(
    lab,
    host,
    `set -e
cd /mnt/root
mkdir -p dev
mount -t proc proc proc
mount --rbind /dev dev
mount --rbind /sys sys
chroot . /bin/sh -s <<'END_OF_SCRIPT'
${script}
END_OF_SCRIPT
cp /etc/egress-bench/host_key /etc/egress-bench/authorized_keys etc/egress-bench/
chmod 755 etc/egress-bench
chmod 644 etc/egress-bench/authorized_keys
chroot . /usr/sbin/sshd -p 2222 -h /etc/egress-bench/host_key -o UsePAM=no -o StrictModes=no \\
  -o AuthorizedKeysFile=/etc/egress-bench/authorized_keys </dev/null >/dev/null 2>&1`,
  );
}
