/** Messages in the form of Pulumi 3.270 and its Automation API. */
import { expect, test } from "vitest";
import { engineWords, loginWords } from "../../../cli/pulumi/engine-words.ts";

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

/** Failed logins to existing hosts. The engine's own words are tested in tests/engine/command-plugin. */
const host = (address: string, more: object = {}) => ({ address, user: "bench", ...more });
const jump = host("192.0.2.9");
const file = {
  cloud: "hosts" as const,
  topologies: [
    { name: "a", client: host("192.0.2.1", { keyFile: "~/.ssh/measure", jump }), server: host("192.0.2.2") },
    { name: "b", client: host("192.0.2.3", { port: 2222 }), server: host("192.0.2.4") },
  ].map(({ name, ...options }) => ({ name, topology: "existing", options })),
};
const failed = (resource: string, why: string) =>
  `command:remote:Command (${resource}):\n  error: after 8 failed attempts: ssh: handshake failed: ssh: ${why}`;
const denied = "unable to authenticate, attempted methods [none publickey], no supported methods remain";

test.each([
  [
    "a-client-visit",
    denied,
    "bench@192.0.2.1:22, or its jump host bench@192.0.2.9: the key in ~/.ssh/measure is not accepted: have its public key in ~/.ssh/authorized_keys of bench there, or give another keyFile",
  ],
  ["server-2-visit", denied, "bench@192.0.2.4:22: none of the SSH agent's keys (ssh-add -l) is accepted"],
  [
    "b-client-visit",
    "host key mismatch",
    "bench@192.0.2.3:2222: it shows another key than that of 192.0.2.3 in",
  ],
  ["a-client-visit", "this private key is passphrase protected", "passphrase: ssh-add ~/.ssh/measure"],
])("%s: %s", (resource, why, words) => {
  expect(loginWords(failed(resource, why), file)).toContain(words);
});

test("other errors, hosts and clouds give no lines", () => {
  expect(loginWords(failed("a-client-visit", "no route to host"), file)).toBe("");
  expect(loginWords(failed("case", denied), file)).toBe("");
  expect(loginWords(failed("a-client-visit", denied), { ...file, cloud: "aws" })).toBe("");
});
