/** User data for cloud machines, as text: clients, servers, jump hosts and NAT instances of every cloud. */
import { Buffer } from "node:buffer";
import { stringify, type ToStringOptions } from "yaml";
import { bootPackages } from "../../bench/index.ts";
import { program as shellProgram, terse, textOf } from "./shell.ts";

/** A file written before anything is run. */
interface CloudFile {
  readonly path: string;
  readonly content: string;
  /** Mode of the file. @default "0644" */
  readonly permissions?: string;
}

export interface CloudConfigArgs {
  /**
   * The machine's own Ed25519 key, so that its first connection can be verified; all other host keys are removed.
   * @default the machine makes keys itself
   */
  readonly hostKey?: { readonly privateKey: string; readonly publicKey: string };
  /** Public keys that open the image's default user. @default those that the cloud passes */
  readonly authorizedKeys?: readonly string[];
  /** Debian or Ubuntu packages. @default none */
  readonly packages?: readonly string[];
  /** Package sources at the first boot and later: URLs of a mirror and of an HTTP proxy. @default the image's own */
  readonly packageSources?:
    | { readonly mirror?: string | undefined; readonly proxy?: string | undefined }
    | undefined;
  readonly files?: readonly CloudFile[];
  /**
   * Script that root runs once, after the packages are installed. The machine counts as booted when it has ended with 0.
   */
  readonly script?: string;
  /**
   * Program that the script needs. Where the image has it, the script also runs before packages are installed, which may
   * take ten minutes.
   * @default none
   */
  readonly earlyWith?: string | undefined;
  /**
   * Kernel module that the script can use. Where a cloud's kernel lacks it, Ubuntu's package of extra modules is tried.
   * @default none
   */
  readonly kernelModule?: string | undefined;
  /** The owner's script, run as root after `script`. @default none */
  readonly extraScript?: string | undefined;
  /**
   * systemd unit of the script's work, on a replaceable machine: it powers off when the unit fails, at the first boot or a
   * later one.
   * @default none
   */
  readonly powerOffWithout?: string | undefined;
}

/** Packages by role; Python runs the host agent. */
export const rolePackages = {
  bench: ["python3", ...bootPackages, "ethtool"],
  nat: ["python3", "nftables", "conntrack", "ethtool"],
  jump: ["python3"],
} as const;

const here = (name: string) => textOf(name, import.meta.url);

const DIRECTORY = "/var/lib/egress-bench";

/**
 * A `#cloud-config` document. With a host key it holds a private key: make it a secret.
 *
 * cloud-init's own package module tries only once, which fails on a machine whose way out comes up late. So a script of
 * ours installs packages and retries.
 *
 * @example
 * cloudConfig({ hostKey, packages: rolePackages.nat, script: natSetup({ privateCidrs: ["10.0.1.0/24"] }) })
 */
export function cloudConfig(args: CloudConfigArgs): string {
  const text = render(args);
  const { script } = args;
  return script === undefined || Buffer.byteLength(text) <= MOST_BYTES
    ? text
    : render({ ...args, script: terse(script) }, { indent: 1, indentSeq: false }, terse);
}

/**
 * Bytes of user data that EC2 takes; Azure takes four times as much. Source:
 * docs.aws.amazon.com/AWSEC2/latest/UserGuide/user-data.html
 */
export const MOST_BYTES = 16_384;

function render(
  args: CloudConfigArgs,
  indentation: ToStringOptions = {},
  shortened = (script: string) => script,
): string {
  const { authorizedKeys = [], packages = [], files = [], script, extraScript } = args;
  const install =
    packages.length > 0 ? [program("install-packages", shortened(installPackages(packages)))] : [];
  const setUp = script === undefined ? [] : [program("set-up", script, "0700")];
  const extra = extraScript === undefined ? [] : [program("extra", extraScript)];
  const programs = [...install, ...setUp, ...extra];
  const written = [...files, ...unitFiles(args), ...programs].map(({ permissions = "0644", ...file }) => ({
    ...file,
    permissions,
  }));
  const run = ({ path }: CloudFile) => [path];
  const steps = [
    ...healing(args),
    ...early(args),
    ...install.map(run),
    ...furtherModules(args),
    ...setUp.map(run),
    ...extra.map(run),
  ];
  const config = {
    ...keysOf(args),
    ...aptOf(args),
    ...(authorizedKeys.length > 0 && { ssh_authorized_keys: authorizedKeys }),
    ...(written.length > 0 && { write_files: written }),
    // cloud-init makes one shell script of them, in which only the last line's failure would count.
    ...(steps.length > 0 && { runcmd: ["set -e", ...steps] }),
  };
  // cloud-init reads YAML 1.1, where 0644 and `on` mean something else.
  return `#cloud-config\n${stringify(config, { version: "1.1", lineWidth: 0, ...indentation })}`;
}

/** A given key; then cloud-init generates none. */
function keysOf({ hostKey }: CloudConfigArgs): object {
  return hostKey === undefined
    ? {}
    : {
        ssh_deletekeys: true,
        ssh_keys: {
          ed25519_private: oneNewline(hostKey.privateKey),
          ed25519_public: oneNewline(hostKey.publicKey),
        },
      };
}

/** cloud-init writes both before anything is installed, and apt uses them. */
function aptOf({ packageSources: { mirror, proxy } = {} }: CloudConfigArgs): object {
  const sources = [{ arches: ["default"], uri: mirror }];
  const apt = {
    ...(mirror === undefined ? {} : { primary: sources, security: sources }),
    ...(proxy === undefined ? {} : { http_proxy: proxy, https_proxy: proxy }),
  };
  return Object.keys(apt).length === 0 ? {} : { apt };
}

const SET_UP = `${DIRECTORY}/set-up`;

/** Shell lines that power an unhealthy machine off. A unit that started before a later step failed keeps it running. */
function healing({ powerOffWithout, script }: CloudConfigArgs): (string | string[])[] {
  if (powerOffWithout === undefined) {
    return [];
  }
  const trap = `trap '[ "$?" = 0 ] || ${SET_UP} || shutdown -h +1' EXIT`;
  // systemd may have read the unit before its file was written.
  return [...(script === undefined ? [] : [trap]), ["systemctl", "daemon-reload"]];
}

function unitFiles({ powerOffWithout }: CloudConfigArgs): CloudFile[] {
  const content = "[Unit]\nFailureAction=poweroff\n";
  return powerOffWithout === undefined
    ? []
    : [{ path: `/etc/systemd/system/${powerOffWithout}.d/egress-bench.conf`, content }];
}

function early({ earlyWith, script }: CloudConfigArgs): string[] {
  return earlyWith === undefined || script === undefined
    ? []
    : [`! command -v ${earlyWith} >/dev/null || ${SET_UP} || true`];
}

function furtherModules({ kernelModule }: CloudConfigArgs): string[] {
  return kernelModule === undefined
    ? []
    : [
        `modinfo -n ${kernelModule} >/dev/null 2>&1 || DEBIAN_FRONTEND=noninteractive apt-get -q -o DPkg::Lock::Timeout=120 install -y --no-install-recommends "linux-modules-extra-$(uname -r)" </dev/null || true`,
      ];
}

function program(name: string, content: string, permissions = "0755"): CloudFile {
  return { path: `${DIRECTORY}/${name}`, content, permissions };
}

/** OpenSSH refuses a private key without its last newline. */
function oneNewline(key: string): string {
  return `${key.trimEnd()}\n`;
}

/** Seconds after which missing packages are an error: a way out, its routes and the image's own updates take a while. */
export const INSTALL_SECONDS = 600;

/** A program that installs packages, or its arguments (`$*`), and gives up after {@link INSTALL_SECONDS}. */
export function installPackages(packages: readonly string[]): string {
  const begin = `${here("./install-packages-begin.sh")}packages="${packages.join(" ")}"\n`;
  return shellProgram("Installs packages.", {}, [begin, here("./install-packages.sh")]);
}
