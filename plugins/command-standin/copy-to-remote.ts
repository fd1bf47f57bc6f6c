import { createHash, randomBytes } from "node:crypto";
import {
  isArchive,
  isAsset,
  type Properties,
  plainProperties,
  unwrap,
  type Value,
} from "../shared/envelopes.ts";
import { check, type Failure } from "./check.ts";
import type { Operation, Resource } from "./operation.ts";
import { copyPath, copyText, openSftp } from "./sftp-copy.ts";
import { copyToRemoteShape } from "./shapes.ts";
import { connectionOf, withSsh } from "./ssh-connection.ts";

/** `command:remote:CopyToRemote`: a file, a directory or a text, copied over SFTP. */
export const copyToRemote: Resource = {
  check(inputs) {
    const checked = check(copyToRemoteShape, inputs);
    return { ...checked, failures: [...checked.failures, ...sourceFailures(inputs.source ?? null)] };
  },
  previewCreate: (inputs) => inputs,
  async create(operation, inputs) {
    await copy(operation, plainProperties(inputs));
    return { id: randomBytes(4).toString("hex"), outputs: inputs };
  },
  previewUpdate: (_state, inputs) => inputs,
  async update(operation, state, inputs) {
    const [old, now] = [plainProperties(state), plainProperties(inputs)];
    // Another connection is no reason to copy again.
    const isCopied = hashOf(old) === hashOf(now) && old.remotePath === now.remotePath;
    if (!isCopied) await copy(operation, now);
    return inputs;
  },
  async delete() {
    // Copied files stay, as with the real plugin.
  },
};

function sourceFailures(wrapped: Value): Failure[] {
  const source = unwrap(wrapped);
  if (isAsset(source) && !source.path && !isText(source)) {
    return [{ property: "asset", reason: "asset must be a path-based file asset or a text asset" }];
  }
  if (isArchive(source) && !source.path) {
    return [{ property: "archive", reason: "archive must be a path to a file or directory" }];
  }
  if (isAsset(source) || isArchive(source)) return [];
  return [{ property: "asset", reason: "either asset or archive must be set" }];
}

// The hash distinguishes an empty text from no text.
function isText(source: Properties): boolean {
  if (!isAsset(source) || source.path || source.uri) return false;
  return Boolean(source.text) || source.hash === createHash("sha256").digest("hex");
}

function hashOf(inputs: Properties): Value | undefined {
  return (inputs.source as Properties | undefined)?.hash;
}

function copy(operation: Operation, inputs: Properties): Promise<void> {
  const source = inputs.source as Properties;
  const remotePath = String(inputs.remotePath);
  const connection = connectionOf(inputs);
  const origin = isText(source) ? "text asset" : `local file ${source.path}`;
  operation.log("debug", `Creating file: ${connection.host}:${remotePath} from ${origin}`);
  return withSsh(operation, connection, async (client) => {
    const sftp = await openSftp(client);
    if (isText(source)) await copyText(sftp, String(source.text ?? ""), remotePath);
    else await copyPath(sftp, String(source.path), remotePath);
  });
}
