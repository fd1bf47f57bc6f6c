import { local } from "@pulumi/command";
import * as pulumi from "@pulumi/pulumi";
import { type KeyPair, openSshKey } from "./key-pair.ts";
import { siblingProgram } from "./shell.ts";

/**
 * An Ed25519 key pair: the operator's, or a host's own so that it can be verified on first sight.
 *
 * The pair is made when the resource is created and stays until it is deleted.
 *
 * Cost: none.
 *
 * @example
 * ```ts
 * import { SshKeyPair } from "egress-bench";
 *
 * const operator = new SshKeyPair("operator");
 * export const publicKey = operator.publicKey;
 * export const privateKey = operator.privateKey;
 * ```
 */
export class SshKeyPair extends pulumi.ComponentResource {
  /** Private key in OpenSSH format, a secret. */
  readonly privateKey: pulumi.Output<string>;
  /** Public key, `ssh-ed25519 AAAA...`, without comment. */
  readonly publicKey: pulumi.Output<string>;
  /**
   * The private key as the state keeps it, a secret, for a `connection`: PKCS #8, which is short. OpenSSH's own programs
   * read it from release 9.6 on.
   */
  readonly loginKey: pulumi.Output<string>;

  constructor(name: string, opts?: pulumi.ComponentResourceOptions) {
    super("egress-bench:index:SshKeyPair", name, {}, opts);
    const generated = new local.Command(
      name,
      {
        create: siblingProgram(import.meta.url, "generate-key-pair"),
        logging: local.Logging.None,
        addPreviousOutputInEnv: false,
      },
      {
        parent: this,
        additionalSecretOutputs: ["stdout"],
        // The command holds the package's location; moving it must not make new keys.
        ignoreChanges: ["create"],
      },
    );
    const pair = generated.stdout.apply((text) => JSON.parse(text) as KeyPair);
    this.loginKey = pulumi.secret(pair.privateKey);
    this.privateKey = this.loginKey.apply(openSshKey);
    this.publicKey = pulumi.unsecret(pair.publicKey);
    this.registerOutputs({ publicKey: this.publicKey });
  }
}
