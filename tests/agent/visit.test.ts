/**
 * Refusals, writes and removals on an existing host: the real program in a home directory of its own, with stand-ins for
 * apt-get, dpkg and sudo, so that nothing of this machine changes. That hosts are left as they were:
 * tests/lab/stack/hosts.test.ts.
 */
import { spawnSync } from "node:child_process";
import {
  chmodSync,
  existsSync,
  mkdirSync,
  mkdtempSync,
  readdirSync,
  readFileSync,
  readlinkSync,
  rmSync,
  symlinkSync,
  writeFileSync,
} from "node:fs";
import { createServer } from "node:net";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { fileURLToPath } from "node:url";
import { afterEach, beforeEach, describe, expect, test } from "vitest";

const program = fileURLToPath(new URL("../../components/existing/visit.py", import.meta.url));
const PYTHON = process.env.PYTHON ?? (existsSync("/usr/bin/python3") ? "/usr/bin/python3" : "python3");
const mine = "mine ssh-ed25519 AAAA";

let home: string;

function standIn(name: string, script: string): void {
  const file = join(home, "bin", name);
  writeFileSync(file, `#!/bin/sh\necho "${name} $*" >> ${join(home, "calls")}\n${script}\n`);
  chmodSync(file, 0o755);
}

beforeEach(() => {
  home = mkdtempSync(join(tmpdir(), "egress-bench-visit-"));
  mkdirSync(join(home, "bin"));
  standIn("sudo", 'shift; exec "$@"');
  standIn("env", "exit 0");
  standIn("true", "exit 0");
  standIn("dpkg", "exit 0");
  // iperf3 would be new, libc another version of an installed package.
  standIn("apt-get", "echo 'Inst libc6 [2.35] (2.36 Debian)'; echo 'Inst iperf3 (3.12 Debian)'");
});
afterEach(() => rmSync(home, { recursive: true }));

function visit(verb: "look" | "claim" | "leave", options: object = {}, cwd = home) {
  const all = {
    ...{
      owner: mine,
      role: "server",
      ports: {},
      packages: ["iperf3"],
      mayInstall: false,
      busyBitsPerSecond: null,
    },
    ...options,
  };
  const { status, stdout, stderr } = spawnSync(PYTHON, ["-", verb, JSON.stringify(all)], {
    input: readFileSync(program),
    env: { HOME: home, PATH: join(home, "bin") },
    encoding: "utf8",
    cwd,
  });
  return { status, stdout, said: stderr.trim() };
}

const directory = () => join(home, ".egress-bench");
const calls = () => (existsSync(join(home, "calls")) ? readFileSync(join(home, "calls"), "utf8") : "");

describe("a look", () => {
  test("changes nothing, and tells whether it can be root", () => {
    expect(JSON.parse(visit("look").stdout)).toMatchObject({ root: true });
    expect(readdirSync(home).filter((name) => name !== "calls")).toEqual(["bin"]);
  });

  test("refuses a home directory without room, and names the needed space", () => {
    const command = `mount -t tmpfs -o size=64k none "$HOME" && exec '${PYTHON}' '${program}' look '${JSON.stringify({ owner: mine })}'`;
    const { status, stderr } = spawnSync("unshare", ["--mount", "sh", "-c", command], {
      env: { HOME: home, PATH: process.env.PATH },
      encoding: "utf8",
      cwd: home,
    });
    expect([status, stderr]).toEqual([
      1,
      expect.stringMatching(/has 0\.1 MB left, .* needs 20 MB: make room/),
    ]);
  });

  test("refuses a host of another stack, and a directory of something else", () => {
    visit("claim", { owner: "other ssh-ed25519 BBBB" });
    expect(visit("look")).toMatchObject({
      status: 1,
      said: expect.stringContaining("belongs to stack other: destroy"),
    });
    rmSync(join(directory(), "owner"));
    expect(visit("look")).toMatchObject({
      status: 1,
      said: expect.stringContaining("belongs to something else"),
    });
  });

  test("refuses a symbolic link in place of its directory, and leaves it", () => {
    mkdirSync(join(home, "elsewhere"));
    for (const target of ["elsewhere", "nowhere"]) {
      symlinkSync(target, directory());
      expect(visit("look")).toMatchObject({ status: 1, said: expect.stringContaining("is a symbolic link") });
      expect(visit("claim").status).toBe(1);
      expect(visit("leave").status).toBe(0);
      expect(readlinkSync(directory())).toBe(target);
      rmSync(directory());
    }
    expect(readdirSync(join(home, "elsewhere"))).toEqual([]);
  });

  test("refuses a shell that starts outside the home directory, where files are copied to", () => {
    expect(visit("look", {}, "/")).toMatchObject({
      status: 1,
      said: expect.stringMatching(
        /commands of user \S+ start in \/, not in .*~\/\.bashrc, .*only where \[ -t 1 \]/,
      ),
    });
    expect(visit("leave", {}, "/").status).toBe(0);
  });

  test("refuses a login shell that cannot read its commands", () => {
    const command = `cp /etc/passwd "$HOME/passwd"
sed -i 's|^\\([^:]*:[^:]*:'"$(id -u)"':.*:\\)[^:]*$|\\1/bin/tcsh|' "$HOME/passwd"
mount --bind "$HOME/passwd" /etc/passwd && exec '${PYTHON}' '${program}' look '${JSON.stringify({ owner: mine })}'`;
    const { status, stderr } = spawnSync(
      "unshare",
      ["--mount", "sh", "-c", command.replaceAll("\\\\", "\\")],
      {
        env: { HOME: home, PATH: process.env.PATH },
        encoding: "utf8",
      },
    );
    expect([status, stderr]).toEqual([
      1,
      expect.stringMatching(
        /the login shell of user \S+ is \/bin\/tcsh, which does not read .*chsh -s \/bin\/sh/,
      ),
    ]);
  });

  test("refuses a host on which another user's agent runs", async () => {
    // A process with an agent's name, as another user's.
    const agent = join(home, ".egress-bench/agent.py");
    const script = `setpriv --reuid 65534 --clear-groups ${PYTHON} -c 'import time; time.sleep(60)' ${agent} serve & echo $! >"$HOME/pid"; exec sleep 0`;
    const env = { HOME: home, PATH: process.env.PATH };
    const { status } = spawnSync("sh", ["-c", script], { env, stdio: "ignore" });
    expect(status).toBe(0);
    const pid = Number(readFileSync(join(home, "pid"), "utf8"));
    try {
      await expect
        .poll(() => visit("look").said)
        .toMatch(/user nobody of this host has an agent of egress-bench running: destroy/);
    } finally {
      process.kill(pid);
    }
    expect(visit("look").status).toBe(0);
  });

  test("refuses a server with a test port in use, and accepts it as a client", async () => {
    const server = createServer().listen(0, "127.0.0.1");
    await new Promise((listening) => server.once("listening", listening));
    const { port } = server.address() as { port: number };
    const options = { ports: { tcp: [[port, port]], udp: [] } };
    expect(visit("look", options).said).toBe(
      `egress-bench: tcp port ${port} is in use: end what uses it, or choose another server`,
    );
    expect(visit("look", { ...options, role: "client" }).status).toBe(0);
    // Ports of its own agent are no reason.
    visit("claim");
    expect(visit("look", options).status).toBe(0);
    server.close();
  });

  test("refuses a server that carries more than the bound of other traffic", () => {
    // This machine's traffic is above a negative bound.
    const { status, said } = visit("look", { busyBitsPerSecond: -1 });
    expect({ status, said }).toMatchObject({
      status: 1,
      said: expect.stringMatching(/carries \d+ Mbit\/s of other/),
    });
    expect(visit("look", { busyBitsPerSecond: 1e15 }).status).toBe(0);
  });
});

describe("a claim", () => {
  test("records its owner, installs nothing unasked, and can be removed", () => {
    expect(visit("claim").status).toBe(0);
    expect(readFileSync(join(directory(), "owner"), "utf8")).toBe(mine);
    expect(calls()).not.toMatch(/apt-get|dpkg/);
    expect(visit("leave").status).toBe(0);
    expect(existsSync(directory())).toBe(false);
  });

  test("installs missing packages if permitted, and removes exactly those", () => {
    expect(visit("claim", { mayInstall: true }).status).toBe(0);
    expect(calls()).toMatch(
      /env DEBIAN_FRONTEND=noninteractive .* apt-get .* install -y --no-install-recommends iperf3/,
    );
    expect(visit("leave", { mayInstall: true }).status).toBe(0);
    expect(calls()).toMatch(/^dpkg --purge iperf3$/m);
    expect(existsSync(directory())).toBe(false);
  });

  test("updates package lists that do not name a package yet", () => {
    const updated = join(home, "updated");
    standIn(
      "apt-get",
      `case "$*" in
        *update) : > ${updated} ;;
        *) [ -e ${updated} ] || { echo "E: Unable to locate package iperf3"; exit 100; }; echo 'Inst iperf3 (3.12)' ;;
      esac`,
    );
    expect(visit("claim", { mayInstall: true })).toMatchObject({ status: 0, said: "" });
    expect(calls()).toMatch(/ install -y --no-install-recommends iperf3/);
  });

  test("is refused on a host that another stack has claimed meanwhile", () => {
    visit("claim", { owner: "other ssh-ed25519 BBBB" });
    expect(visit("claim")).toMatchObject({ status: 1, said: expect.stringContaining("another stack") });
  });
});

describe("leaving", () => {
  test("changes nothing of another stack's host", () => {
    visit("claim", { owner: "other ssh-ed25519 BBBB" });
    expect(visit("leave").status).toBe(0);
    expect(readdirSync(directory()).sort()).toEqual(["notes", "owner"]);
  });

  test("does nothing if nothing was written", () => {
    expect(visit("leave")).toEqual({ status: 0, stdout: "", said: "" });
  });

  test("makes room on a disk that its own output has filled", () => {
    visit("claim");
    mkdirSync(join(directory(), "runs"));
    const stop = `import os, sys\nsys.exit("no room" if os.path.isdir(${JSON.stringify(join(directory(), "runs"))}) else 0)`;
    writeFileSync(join(directory(), "agent.py"), stop);
    expect(visit("leave")).toEqual({ status: 0, stdout: "", said: "" });
    expect(existsSync(directory())).toBe(false);
  });

  test("is repeated after an interruption", () => {
    visit("claim");
    writeFileSync(join(directory(), "agent.py"), "import sys; sys.exit('it does not stop')");
    expect(visit("leave")).toMatchObject({ status: 1, said: expect.stringContaining("it does not stop") });
    writeFileSync(join(directory(), "agent.py"), "");
    expect(visit("leave").status).toBe(0);
    expect(existsSync(directory())).toBe(false);
  });
});
