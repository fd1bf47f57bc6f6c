/**
 * The operator's key, which flat arguments have as two texts.
 *
 * @module
 */
import * as pulumi from "@pulumi/pulumi";
import { SshKeyPair } from "egress-bench";

/** The part of a component's arguments that says who logs in. */
export interface SshInputs {
  sshAllowedCidrs: pulumi.Input<pulumi.Input<string>[]>;
  sshPublicKey?: pulumi.Input<string>;
  sshPrivateKey?: pulumi.Input<string>;
}

/** Who logs in, as the library takes it. */
export interface Ssh {
  readonly key: { readonly publicKey: pulumi.Input<string>; readonly privateKey: pulumi.Input<string> };
  readonly allowedCidrs: SshInputs["sshAllowedCidrs"];
}

/** The given key, or a new one. @throws {pulumi.InputPropertyError} when half a key is given. */
export function sshOf(name: string, args: SshInputs, parent: pulumi.Resource): Ssh {
  const { sshAllowedCidrs: allowedCidrs, sshPublicKey: publicKey, sshPrivateKey: privateKey } = args;
  if (publicKey !== undefined && privateKey !== undefined) {
    return { allowedCidrs, key: { publicKey, privateKey } };
  }
  if (publicKey === undefined && privateKey === undefined) {
    return { allowedCidrs, key: new SshKeyPair(`${name}-operator`, { parent }) };
  }
  const propertyPath = publicKey === undefined ? "sshPublicKey" : "sshPrivateKey";
  const reason = "is missing; give both halves of the key, or neither to have one made";
  throw new pulumi.InputPropertyError({ propertyPath, reason });
}

/** The private key, for the component's outputs. */
export function secretKey({ key }: Ssh): pulumi.Output<string> {
  return pulumi.secret(key.privateKey);
}
