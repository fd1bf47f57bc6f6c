/** Prints a new Ed25519 key pair as one JSON document. Run by {@link SshKeyPair}. */
import { newShortKeyPair } from "./key-pair.ts";

process.stdout.write(JSON.stringify(newShortKeyPair()));
