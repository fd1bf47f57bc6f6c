/**
 * Prints a new Ed25519 key pair as one JSON document. Run by {@link SshKeyPair}.
 *
 * @module
 */
import ssh2 from "ssh2";

const pair = ssh2.utils.generateKeyPairSync("ed25519");
process.stdout.write(JSON.stringify({ privateKey: pair.private, publicKey: pair.public }));
