import { createHmac } from "node:crypto";
import * as pulumi from "@pulumi/pulumi";
import { SshKeyPair } from "./ssh-key-pair.ts";

/** Length of the key: 132 bits in base64, since user data has little room. */
const CHARACTERS = 22;

/** The pair's key: random, secret, and the same until the pair is deleted. */
export function pairKey(name: string, parent: pulumi.Resource): pulumi.Output<string> {
  const { privateKey } = new SshKeyPair(`${name}-pair-key`, { parent });
  const key = (from: string) => createHmac("sha256", from).update("egress-bench pair").digest("base64url");
  return pulumi.secret(privateKey.apply((from) => key(from).slice(0, CHARACTERS)));
}
