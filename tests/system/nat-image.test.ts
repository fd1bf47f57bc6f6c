/**
 * The image of `npm run nat-image` on an emulated machine, from its firmware on, without any package source. Not shown: the
 * clouds' own machines and metadata, and how their images are registered.
 */
import { mkdtempSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { afterAll, beforeAll, expect, test } from "vitest";
import { everyNatPackage, makeImage, natImage } from "../../cli/nat-image/command.ts";
import { natScript } from "../../cli/nat-script/command.ts";
import type { Guest } from "../guest/guest.ts";
import { bootImage, ECHO, MACHINE, requireFirmware } from "./image.ts";

const directory = mkdtempSync(join(tmpdir(), "egress-bench-nat-image-test-"));
const image = join(directory, "nat.raw");
let said = "";
const io = { stdout: { write: (text: string) => (said += text) }, stderr: process.stderr, directory };

/** Boots, and returns once cloud-init has finished. */
async function boot(userData?: string): Promise<Guest> {
  const machine = await bootImage(image, userData);
  try {
    const status = await machine.run(
      "cloud-init status --wait >/dev/null; cloud-init status --long; tail -n 20 /var/log/cloud-init-output.log",
    );
    expect(status).toMatch(/^status: done$/m);
    return machine;
  } catch (error) {
    await machine.end();
    throw error;
  }
}

const echo = `ip netns exec client python3 -c "
import socket
server = socket.create_connection(('${ECHO.address}', ${ECHO.port}), 5)
server.sendall(b'hello')
print(server.recv(100).decode())"`;

beforeAll(async () => {
  requireFirmware();
  const argv = ["--private-cidrs", "198.18.1.0/24", "--out", image];
  expect(await natImage(argv, { ...io, make: makeImage })).toBe(0);
});
afterAll(() => rmSync(directory, { recursive: true }));

test("without user data it sets itself up and forwards, with no package fetched or installed", async () => {
  const machine = await boot();
  try {
    expect(await machine.run(echo)).toBe("hello\n");
    expect(await machine.run(`conntrack -L -p tcp --dst ${ECHO.address} 2>/dev/null`)).toMatch(
      new RegExp(`src=198.18.1.2 dst=${ECHO.address} .* dst=${MACHINE} `),
    );
    expect(await machine.run("cat /run/egress-bench-data-plane")).toBe("flowtable\n");
    expect(
      await machine.run(
        "find /var/lib/apt/lists -name '*Packages*'; find /var/lib/dpkg/status -newermt \"$(uptime -s)\"",
      ),
    ).toBe("");
    expect(await machine.run("systemctl --failed --no-legend")).toBe("");
    const states = `dpkg-query -W -f '\${db:Status-Status}\\n' ${everyNatPackage.join(" ")} | sort -u`;
    expect(await machine.run(states)).toBe("installed\n");
    // Units that packages would start with an example of theirs.
    expect(await machine.run("systemctl is-active conntrackd tayga || :")).toBe("inactive\ninactive\n");
    expect(await machine.run("ls /etc/ssh/ssh_host_ed25519_key.pub")).toContain("ed25519");
  } finally {
    await machine.end();
  }
});

test("user data replaces the image's settings", async () => {
  said = "";
  expect(natScript(["--cloud", "aws", "--private-cidrs", "198.18.0.0/16"], io)).toBe(0);
  const machine = await boot(said);
  try {
    expect(await machine.run(echo)).toBe("hello\n");
    const rules = await machine.run("nft list ruleset");
    expect(rules).toContain("198.18.0.0/16");
    expect(rules).not.toContain("198.18.1.0/24");
  } finally {
    await machine.end();
  }
});
