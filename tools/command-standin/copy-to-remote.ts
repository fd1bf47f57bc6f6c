import { randomBytes } from "node:crypto";
import { check } from "./check.ts";
import type { Operation, Resource } from "./operations.ts";
import { isAsset, type Properties, plainProperties, unwrap } from "./shared/envelopes.ts";
import { connectionOf, withSsh } from "./ssh-connection.ts";

const known = ["connection", "triggers", "source", "remotePath"];

/** `command:remote:CopyToRemote`: a file, copied over SFTP. */
export const copyToRemote: Resource = {
  check(inputs) {
    const checked = check(known, inputs);
    const source = unwrap(inputs.source ?? null);
    const isFile = isAsset(source) && Boolean(source.path);
    const reason = "source: the offline stand-in of the command plugin copies file assets only";
    return isFile ? checked : { ...checked, failures: [...checked.failures, { property: "source", reason }] };
  },
  previewCreate: (inputs) => inputs,
  async create(operation, inputs) {
    await copy(operation, plainProperties(inputs));
    return { id: randomBytes(4).toString("hex"), outputs: inputs };
  },
  previewUpdate: (_state, inputs) => inputs,
  async update(operation, state, inputs) {
    const [old, now] = [plainProperties(state), plainProperties(inputs)];
    const hashOf = ({ source }: Properties) => (source as Properties | undefined)?.hash;
    // Another connection is no reason to copy again.
    const isCopied = hashOf(old) === hashOf(now) && old.remotePath === now.remotePath;
    if (!isCopied) await copy(operation, now);
    return inputs;
  },
  async delete() {
    // Copied files stay, as with the real plugin.
  },
};

function copy(operation: Operation, inputs: Properties): Promise<void> {
  const { path } = inputs.source as Properties;
  const remotePath = String(inputs.remotePath);
  return withSsh(
    operation,
    connectionOf(inputs),
    (client) =>
      new Promise((resolve, reject) => {
        const done = (error?: Error | null) =>
          error
            ? reject(
                new Error(`failed to create remote file ${remotePath}: ${error.message}`, { cause: error }),
              )
            : resolve();
        client.sftp((error, sftp) => (error ? done(error) : sftp.fastPut(String(path), remotePath, done)));
      }),
  );
}
