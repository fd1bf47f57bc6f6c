/**
 * An emulated machine that boots an image of `npm run nat-image` like a cloud's: firmware, boot loader, kernel, systemd,
 * and cloud-init with user data from a disk. Its network leads only to one server that echoes. A private client is a
 * namespace of it.
 */
import { existsSync, mkdirSync, mkdtempSync, readFileSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { stringify } from "yaml";
import { attend, type Guest, spawnMachine } from "../guest/guest.ts";

const MOST_SECONDS = 3000;
const FIRMWARE = "/usr/share/OVMF/OVMF";
const ROUTER = "198.19.1.2";
const SCRIPTS = "/run/guest-scripts.sh";

/** The server that the machine reaches, and the machine's own address on that side, from DHCP. */
export const ECHO = { address: "198.19.1.9", port: 77 };
export const MACHINE = "198.19.1.15";

const file = (path: string) => readFileSync(new URL(path, import.meta.url), "utf8");

/** Runs with any user data, before the set-up of image or user data. */
const hosts = stringify({
  bootcmd: [
    [
      "bash",
      "-c",
      `cat > ${SCRIPTS} <<'END_OF_SCRIPTS'\n${file("../../setup/guest-system/scripts")}END_OF_SCRIPTS\nSCRIPTS=${SCRIPTS} ROUTER=${ROUTER}\n${file("image-hosts.sh")}`,
    ],
  ],
});

/** Checked before an image is made, which takes minutes. @throws {Error} where the machine's firmware is missing */
export function requireFirmware(): void {
  if (!existsSync(`${FIRMWARE}_CODE_4M.fd`)) {
    throw new Error(`There is no firmware in ${FIRMWARE}*: run \`npm run setup -- --guest-system\` first.`);
  }
}

/** Boots the image; its writes are discarded at the end. @param userData A cloud-config without a `bootcmd`. */
export async function bootImage(image: string, userData = "#cloud-config\n"): Promise<Guest> {
  const directory = mkdtempSync(join(tmpdir(), "egress-bench-image-"));
  const seed = join(directory, "seed");
  mkdirSync(seed);
  writeFileSync(join(seed, "user-data"), userData + hosts);
  writeFileSync(join(seed, "meta-data"), "instance-id: image\nlocal-hostname: nat\n");
  const network = `net=198.19.1.0/24,host=${ROUTER},dhcpstart=${MACHINE},dns=198.19.1.3,restrict=on`;
  const echo = `guestfwd=tcp:${ECHO.address}:${ECHO.port}-cmd:cat`;
  const machine = spawnMachine(MOST_SECONDS, [
    ...["-m", "1024"],
    ...["-drive", `if=pflash,format=raw,unit=0,readonly=on,file=${FIRMWARE}_CODE_4M.fd`],
    ...["-drive", `if=pflash,format=raw,unit=1,snapshot=on,file=${FIRMWARE}_VARS_4M.fd`],
    ...["-drive", `if=none,id=disk,format=raw,snapshot=on,file=${image}`],
    ...["-device", "virtio-blk-pci,drive=disk,bootindex=0"],
    ...["-blockdev", `driver=vvfat,node-name=seed,dir=${seed},label=CIDATA,read-only=on`],
    ...["-device", "virtio-blk-pci,drive=seed"],
    ...["-nic", `user,model=virtio-net-pci,${network},${echo}`],
  ]);
  machine.once("exit", () => rmSync(directory, { recursive: true }));
  return attend(machine, MOST_SECONDS);
}
