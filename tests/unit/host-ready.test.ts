/** The command that waits for a host's set-up. Really run in `tests/lab/cloud-init.test.ts`. */
import { createHash } from "node:crypto";
import { expect, test } from "vitest";
import { CLOUD_INIT_SECONDS, waitScript } from "../../components/shared/host-ready.ts";

test("keeps its text, for a changed one would run again on every host that is deployed", () => {
  const text = waitScript(undefined);
  expect(createHash("sha256").update(text).digest("hex")).toBe(
    "5bf6f7eae9ae13fe3af660121a38c0af564926238958be520da3eb1643faeb64",
  );
  expect(text).toContain(`timeout -k 5 ${CLOUD_INIT_SECONDS} `);
});
