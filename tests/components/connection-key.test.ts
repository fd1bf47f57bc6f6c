/** The private key in the `connection` of a cloud's machine. The state holds it up to four times a command, so it is short. */
import * as pulumi from "@pulumi/pulumi";
import { expect, it } from "vitest";
import { connectionKey } from "../../components/shared/host-login.ts";
import { newShortKeyPair } from "../../components/shared/key-pair.ts";
import { SshKeyPair } from "../../components/shared/ssh-key-pair.ts";
import { mocks } from "../../components/testing.ts";

/** The connection's key of a pair whose command printed this document. */
async function keyOf(printed: object): Promise<string> {
  await pulumi.runtime.setMocks(mocks({ newResource: () => ({ stdout: JSON.stringify(printed) }) }));
  const key = pulumi.output(connectionKey(new SshKeyPair("operator")));
  expect(await pulumi.isSecret(key)).toBe(true);
  return new Promise((known) => key.apply(known));
}

it("a new pair's key is in PKCS #8", async () => {
  const pair = newShortKeyPair();
  expect(await keyOf(pair)).toBe(pair.privateKey);
});

it("your own key stays as given", () => {
  expect(connectionKey({ publicKey: "ssh-rsa AAAA", privateKey: "mine" })).toBe("mine");
});
