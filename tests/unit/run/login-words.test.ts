/** Messages about failed logins to existing hosts. The engine's own words are tested in tests/engine/command-plugin. */
import { expect, test } from "vitest";
import { loginWords } from "../../../cli/pulumi/engine-words.ts";

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
const refused = "unable to authenticate, attempted methods [none publickey], no supported methods remain";

test.each([
  [
    "a-client-visit",
    refused,
    "bench@192.0.2.1:22, or its jump host bench@192.0.2.9: the key in ~/.ssh/measure is not accepted: have its public key in ~/.ssh/authorized_keys of bench there, or give another keyFile",
  ],
  ["server-2-visit", refused, "bench@192.0.2.4:22: none of the SSH agent's keys (ssh-add -l) is accepted"],
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
  expect(loginWords(failed("case", refused), file)).toBe("");
  expect(loginWords(failed("a-client-visit", refused), { ...file, cloud: "aws" })).toBe("");
});
