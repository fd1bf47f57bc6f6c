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
   * read it from release 9.6 on. In pairs of an earlier release this is OpenSSH's format too.
   */
  readonly loginKey: pulumi.Output<string>;
  /**
   * The private key for the `connection` of a cloud's machine, a secret. It is in PKCS #8, a third as long, since the state
   * holds it up to four times a command. Stacks of earlier releases keep OpenSSH's format: another text would run all
   * commands again.
   */
  readonly connectionKey: pulumi.Output<string>;

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
    const pair = generated.stdout.apply((text) => JSON.parse(text) as KeyPair & { short?: true });
    this.loginKey = pulumi.secret(pair.privateKey);
    this.privateKey = this.loginKey.apply(openSshKey);
    this.connectionKey = pulumi.secret(
      pair.apply(({ privateKey, short }) => (short ? privateKey : openSshKey(privateKey))),
    );
    this.publicKey = pulumi.unsecret(pair.publicKey);
    this.registerOutputs({ publicKey: this.publicKey });
  }
}
