/** The operator's key, which flat arguments hold as two texts. */
import * as pulumi from "@pulumi/pulumi";
import { SshKeyPair } from "egress-bench";

/** Login key. */
interface KeyInputs {
  /** Operator's public key, in OpenSSH's format. Default: a new key. */
  sshPublicKey?: pulumi.Input<string>;
  /** Operator's private key, in OpenSSH's format, without passphrase. Default: a new key. */
  sshPrivateKey?: pulumi.Input<string>;
}

/** Login key and blocks of a component. */
export interface SshInputs extends KeyInputs {
  /** CIDR blocks that may reach SSH, such as 203.0.113.7/32. */
  sshAllowedCidrs: pulumi.Input<pulumi.Input<string>[]>;
}

/** The same for components that work without a login. */
export interface OptionalSshInputs extends KeyInputs {
  /** CIDR blocks that may reach SSH, such as 203.0.113.7/32. Default: no login, and no key is made. */
  sshAllowedCidrs?: pulumi.Input<pulumi.Input<string>[]>;
}

/** The login, in the library's form. */
export interface Ssh {
  readonly key: { readonly publicKey: pulumi.Input<string>; readonly privateKey: pulumi.Input<string> };
  readonly allowedCidrs: SshInputs["sshAllowedCidrs"];
}

/** The given key, or a new one. @throws {pulumi.InputPropertyError} when half a key is missing. */
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

/** The login, if any. @throws {pulumi.InputPropertyError} for a key without allowed blocks, or half a key. */
export function optionalSshOf(
  name: string,
  args: OptionalSshInputs,
  parent: pulumi.Resource,
): Ssh | undefined {
  const { sshAllowedCidrs } = args;
  if (sshAllowedCidrs !== undefined) {
    return sshOf(name, { ...args, sshAllowedCidrs }, parent);
  }
  if (args.sshPublicKey !== undefined || args.sshPrivateKey !== undefined) {
    const reason =
      "is missing, so the key would be unusable; name the blocks that may log in, or leave the key out";
    throw new pulumi.InputPropertyError({ propertyPath: "sshAllowedCidrs", reason });
  }
  return undefined;
}

/** The private key; empty without a login. */
export function optionalKey(ssh: Ssh | undefined): pulumi.Output<string> {
  return ssh === undefined ? pulumi.output("") : secretKey(ssh);
}

/** The private key, for the component's outputs. */
export function secretKey({ key }: Ssh): pulumi.Output<string> {
  return pulumi.secret(key.privateKey);
}
