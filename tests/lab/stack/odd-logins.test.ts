/** Accounts of existing hosts that a benchmark cannot use, or that need care. Each error names the host and the remedy. */
import { beforeAll, describe, expect, test } from "vitest";
import { foreignStack } from "../../helpers/foreign-stack.ts";
import { shortCase } from "../../helpers/lab-stack.ts";

const existing = foreignStack({}, { plan: { cases: [shortCase("bounded", { bitrate: undefined })] } });
let before: string[];
beforeAll(() => {
  before = existing.foreign.snapshot();
});

/** The error of a failing `up`. */
const refusal = () =>
  existing.stack.up().then(
    () => "nothing",
    (error: Error) => error.message,
  );
const leave = async () => {
  await existing.stack.stack.destroy({ color: "never" });
  expect(existing.foreign.snapshot()).toEqual(before);
};

/** Texts in quotes end with their line, as in csh. */
const oneLineShell = `#!/bin/sh
case $2 in *"
"*) echo "Unmatched '''." >&2; exit 1 ;; esac
exec /bin/sh -c "$2"
`;

describe("a client's account", () => {
  test("with a shell that prints at its start is refused with its output, and left as it was", async () => {
    existing.foreign.on("client", "sed -i '1i echo Welcome to the office' /home/bench/.bashrc");
    before = existing.foreign.snapshot();
    expect(await refusal()).toMatch(
      /bench@198\.18\.200\.2:22: expected nothing from its shell .*; got "Welcome to the office" .*~\/\.bashrc, print only where \[ -t 1 \]/,
    );
    await leave();
    existing.foreign.on("client", "sed -i 1d /home/bench/.bashrc");
    before = existing.foreign.snapshot();
  });

  test("with a csh-like login shell is refused by that shell's name", async () => {
    existing.foreign.on(
      "client",
      `cat >/opt/tcsh <<'EOF'\n${oneLineShell}EOF\nchmod 755 /opt/tcsh; usermod --shell /opt/tcsh bench`,
    );
    before = existing.foreign.snapshot();
    expect(await refusal()).toMatch(/the login shell of user bench is \/opt\/tcsh, .*chsh -s \/bin\/sh/);
    await leave();
    existing.foreign.on("client", "usermod --shell /bin/bash bench; rm /opt/tcsh");
    before = existing.foreign.snapshot();
  });
});
