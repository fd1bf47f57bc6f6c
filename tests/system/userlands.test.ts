/**
 * Existing hosts with the userland of other distributions, and with busybox in place of GNU's programs, as on Alpine: the
 * client's user has no root, the server's is root. Not shown: other kernels and C libraries than this machine's, and
 * SELinux.
 */
import { mkdtempSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { expect, onTestFinished, test } from "vitest";
import { testLab } from "../helpers/lab-hosts.ts";
import { openLabStack, shortCase } from "../helpers/lab-stack.ts";
import { CLIENT, userlandHosts, userlands } from "./userlands.ts";

const files = "find /root /home /run /tmp /dev/shm /etc -xdev ! -name '.bash_history' | sort";

test.each(userlands)("$suite, Python $python, busybox: $isBusybox", async (userland) => {
  const directory = mkdtempSync(join(tmpdir(), "egress-bench-userland-"));
  onTestFinished(() => rmSync(directory, { recursive: true }));
  const lab = testLab();
  const { topology, on } = await userlandHosts(lab, userland, directory);
  expect(on("client", "python3 --version")).toContain(`Python ${userland.python}.`);
  const before = [on("client", files), on("server", files)];
  const stack = await openLabStack({
    cloud: "hosts",
    topologies: [{ ...topology, expectedSourceIps: [CLIENT] }],
    hosts: { maxBitsPerSecond: "30M" },
    plan: {
      cases: [
        shortCase("tcp", { bitrate: undefined }),
        { id: "connect", tool: "connect", durationSeconds: 1 },
      ],
    },
  });
  onTestFinished(() => stack.dispose());
  const { results } = await stack.up();
  expect(results.cases.map(({ id, failure }) => [id, failure])).toEqual([
    ["tcp", null],
    ["connect", null],
  ]);
  expect(results.topologies[0]!.path.status).toBe("proved");
  await stack.stack.destroy({ color: "never" });
  expect([on("client", files), on("server", files)]).toEqual(before);
});
