/**
 * An emulated machine with a whole Debian, made by `setup/guest-system.sh`: systemd, and cloud-init with given user data.
 * Client and server are namespaces of it.
 */
import { existsSync, mkdtempSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { fileURLToPath } from "node:url";
import { quote } from "../../bench/shell.ts";
import { attend, type Guest, spawnMachine } from "../guest/guest.ts";

const made = fileURLToPath(new URL("../../.tools/guest-system", import.meta.url));
const MOST_SECONDS = 3000;

export interface System extends Guest {
  /** Runs a bash script in the client or the server, or in the machine itself. */
  inHost(host: "client" | "nat" | "server", script: string): Promise<string>;
  /** Makes systemd reboot it, and waits until it takes scripts again. */
  reboot(): Promise<void>;
}

/** Boots a machine with user data from an unmodified disk. Its writes are discarded at the end. */
export async function bootSystem(userData: string): Promise<System> {
  if (!existsSync(`${made}/stamp`)) {
    throw new Error("The guest's system has not been made: run `npm run setup -- --guest-system` first.");
  }
  const directory = mkdtempSync(join(tmpdir(), "egress-bench-system-"));
  const file = join(directory, "user-data");
  writeFileSync(file, userData, { mode: 0o600 });
  // On a busy machine the emulated timer is late, and the kernel would give it up as broken.
  const busy = "no_timer_check panic=-1";
  const options = `console=ttyS0 root=/dev/vda net.ifnames=0 mitigations=off random.trust_cpu=on audit=0 quiet ${busy}`;
  const machine = spawnMachine(MOST_SECONDS, [
    ...["-m", "1024", "-kernel", `${made}/vmlinuz`, "-initrd", `${made}/initramfs`, "-append", options],
    ...["-drive", `file=${made}/disk,if=virtio,format=raw,snapshot=on`],
    ...["-fw_cfg", `name=opt/user-data,file=${file}`],
  ]);
  machine.once("exit", () => rmSync(directory, { recursive: true }));
  const guest = await attend(machine, MOST_SECONDS);
  const inHost: System["inHost"] = (host, script) =>
    guest.run(host === "nat" ? script : `ip netns exec ${host} bash -c ${quote(script)}`);
  return { ...guest, inHost };
}
