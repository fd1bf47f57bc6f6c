/** Messages in the form of Pulumi 3.270 and its Automation API. */
import { expect, test } from "vitest";
import { engineWords } from "../../../cli/pulumi/engine-words.ts";

const refused = `code: -2
 stdout: 
 stderr: Command failed with exit code 1: pulumi stack export --show-secrets --stack direct --non-interactive
error: could not deserialize deployment: failed to decrypt: incorrect passphrase
 err?: Error: Command failed with exit code 1: pulumi stack export --show-secrets --stack direct --non-interactive
error: could not deserialize deployment: failed to decrypt: incorrect passphrase
`;

const failedUpdate = `code: -2
 stdout: Updating (direct):
 +  pulumi:pulumi:Stack egress-bench-direct creating (0s)
Diagnostics:
  command:remote:Command (case):
    error: no route to host

Resources:
    + 1 created
 stderr: Command failed with exit code 255: pulumi up
 err?: Error: Command failed with exit code 255: pulumi up
`;

test.each([
  ["a refusal", refused, "could not deserialize deployment: failed to decrypt: incorrect passphrase"],
  ["a failed update", failedUpdate, "command:remote:Command (case):\n  error: no route to host"],
  [
    "nothing but its status",
    "code: 1\n stdout: \n stderr: Command failed with exit code 1: pulumi up\n err?: \n",
    "code: 1\n  stdout:\n  stderr: Command failed with exit code 1: pulumi up\n  err?:",
  ],
  [
    "no pulumi",
    "code: -2\n stdout: \n stderr: Command failed with exit code 127: /clone/bin/pulumi version\nthere is no pulumi on PATH; run: npm run setup\n err?: \n",
    "there is no pulumi on PATH; run: npm run setup",
  ],
  [
    "an error of our own",
    "stack direct: nothing of it is deployed",
    "stack direct: nothing of it is deployed",
  ],
])("of %s", (_, message, words) => {
  expect(engineWords(new Error(message))).toBe(words);
});
