/** Accounts of existing hosts that a benchmark cannot work with, or that need care. Each is told with the host and what to do. */
import { mkdtempSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { afterAll, beforeAll, describe, expect, test } from "vitest";
import { type ForeignHosts, foreignHosts } from "../../helpers/foreign-hosts.ts";
import { testLab } from "../../helpers/lab-hosts.ts";
import { type LabStack, openLabStack, shortCase } from "../../helpers/lab-stack.ts";

const lab = testLab(afterAll);
const keys = mkdtempSync(join(tmpdir(), "egress-bench-odd-"));
afterAll(() => rmSync(keys, { recursive: true }));
let foreign: ForeignHosts;
let stack: LabStack;
let before: string[];

beforeAll(async () => {
  foreign = await foreignHosts(lab, keys);
  stack = await openLabStack({
    cloud: "hosts",
    topologies: [{ topology: "existing", name: "office", ...foreign.options }],
    plan: { cases: [shortCase("bounded", { bitrate: undefined })] },
  });
  before = foreign.snapshot();
});
afterAll(() => stack?.dispose());

/** What `up` says when it fails. */
const refusal = () =>
  stack.up().then(
    () => "nothing",
    (error: Error) => error.message,
  );
const leave = async () => {
  await stack.stack.destroy({ color: "never" });
  expect(foreign.snapshot()).toEqual(before);
};

/** Texts in quotes end with their line, as csh has them. */
const oneLineShell = `#!/bin/sh
case $2 in *"
"*) echo "Unmatched '''." >&2; exit 1 ;; esac
exec /bin/sh -c "$2"
`;

describe("a client's account", () => {
  test("whose shell prints when it starts is refused with what it printed, and left as it was", async () => {
    foreign.on("client", "sed -i '1i echo Welcome to the office' /home/bench/.bashrc");
    before = foreign.snapshot();
    expect(await refusal()).toMatch(
      /bench@198\.18\.200\.2:22: expected nothing from its shell .*; got "Welcome to the office" .*~\/\.bashrc, print only where \[ -t 1 \]/,
    );
    await leave();
    foreign.on("client", "sed -i 1d /home/bench/.bashrc");
    before = foreign.snapshot();
  });

  test("whose login shell is csh's kind is refused by that shell's name", async () => {
    foreign.on(
      "client",
      `cat >/opt/tcsh <<'EOF'\n${oneLineShell}EOF\nchmod 755 /opt/tcsh; usermod --shell /opt/tcsh bench`,
    );
    before = foreign.snapshot();
    expect(await refusal()).toMatch(/the login shell of user bench is \/opt\/tcsh, .*chsh -s \/bin\/sh/);
    await leave();
    foreign.on("client", "usermod --shell /bin/bash bench; rm /opt/tcsh");
    before = foreign.snapshot();
  });
});
