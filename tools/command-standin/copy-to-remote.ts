import { createHash, randomBytes } from "node:crypto";
import { readdir, stat as statLocal } from "node:fs/promises";
import { basename, posix } from "node:path";
import ssh2, { type Client, type SFTPWrapper, type Stats } from "ssh2";
import { check, type Failure } from "./check.ts";
import { systemErrorText } from "./go-text.ts";
import type { Operation, Resource } from "./operations.ts";
import { copyToRemoteShape } from "./shapes.ts";
import {
  isArchive,
  isAsset,
  type Properties,
  plainProperties,
  unwrap,
  type Value,
} from "./shared/envelopes.ts";
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

/** Opens SFTP over a connection. @throws {Error} where the host has none */
function openSftp(client: Client): Promise<SFTPWrapper> {
  return new Promise((resolve, reject) => {
    client.sftp((error, sftp) => (error ? reject(error) : resolve(sftp)));
  });
}

/** Writes `text` to a remote file, making the directories above it. Throws when `path` is a directory. */
async function copyText(sftp: SFTPWrapper, text: string, path: string): Promise<void> {
  if ((await stat(sftp, path))?.isDirectory()) {
    throw new Error(
      `remote path ${path} is a directory; when using a text asset, remotePath must be a file path`,
    );
  }
  await makeParents(sftp, path);
  await request(`failed to create remote file ${path}`, (done) => sftp.writeFile(path, text, done));
}

/**
 * Copies a local file or directory.
 *
 * Into an existing directory goes `directory/name`; of a directory whose path ends in `/`, only what is in
 * it is copied. A file replaces a remote file; a directory over a file is an error.
 */
async function copyPath(sftp: SFTPWrapper, source: string, path: string): Promise<void> {
  const isDirectory = (await localStat(source)).isDirectory();
  const existing = await stat(sftp, path);
  if (!isDirectory) {
    if (existing === undefined) await makeParents(sftp, path);
    return copyFile(sftp, source, existing?.isDirectory() ? posix.join(path, basename(source)) : path);
  }
  if (existing === undefined) {
    await wrap(`failed to create remote directory ${path}`, makeDirectories(sftp, path));
  }
  await copyDirectory(sftp, source, source.endsWith("/") ? path : posix.join(path, basename(source)));
}

async function copyDirectory(sftp: SFTPWrapper, source: string, path: string): Promise<void> {
  const existing = await stat(sftp, path);
  if (existing === undefined) {
    await request(`failed to create remote directory ${path}`, (done) => sftp.mkdir(path, done));
  } else if (!existing.isDirectory()) {
    throw new Error(`remote path ${path} exists but is not a directory`);
  }
  const entries = await readdir(source, { withFileTypes: true });
  for (const entry of entries.sort((a, b) => (a.name < b.name ? -1 : 1))) {
    const [from, to] = [posix.join(source, entry.name), posix.join(path, entry.name)];
    if (entry.isDirectory()) await copyDirectory(sftp, from, to);
    else await copyFile(sftp, from, to);
  }
}

async function copyFile(sftp: SFTPWrapper, source: string, path: string): Promise<void> {
  // A symbolic link to a directory is listed as a file, and cannot be read as one.
  if ((await localStat(source)).isDirectory()) {
    throw new Error(`failed to copy file ${source} to remote path ${path}: read ${source}: is a directory`);
  }
  await request(`failed to create remote file ${path}`, (done) => sftp.fastPut(source, path, done));
}

async function makeParents(sftp: SFTPWrapper, path: string): Promise<void> {
  const parent = posix.dirname(path);
  await wrap(`failed to create parent directories for ${path}`, makeDirectories(sftp, parent));
}

async function makeDirectories(sftp: SFTPWrapper, path: string): Promise<void> {
  const existing = await stat(sftp, path);
  if (existing?.isDirectory()) return;
  if (existing !== undefined) throw new Error(`mkdir ${path}: not a directory`);
  const parent = posix.dirname(path);
  if (parent !== path) await makeDirectories(sftp, parent);
  await request(undefined, (done) => sftp.mkdir(path, done));
}

/** Kind of a remote path; undefined when it does not exist. */
function stat(sftp: SFTPWrapper, path: string): Promise<Stats | undefined> {
  return new Promise((resolve, reject) => {
    sftp.stat(path, (error, stats) => {
      if (!error) return resolve(stats);
      if (errorCode(error) === ssh2.utils.sftp.STATUS_CODE.NO_SUCH_FILE) return resolve(undefined);
      reject(new Error(`failed to stat remote path ${path}: ${error.message}`));
    });
  });
}

async function localStat(path: string) {
  try {
    return await statLocal(path);
  } catch (error) {
    throw new Error(`open ${path}: ${systemErrorText(error)}`, { cause: error });
  }
}

type Done = (error?: Error | null) => void;

function request(what: string | undefined, send: (done: Done) => void): Promise<void> {
  const answer = new Promise<void>((resolve, reject) => {
    send((error) => {
      if (!error) return resolve();
      const isMissing = errorCode(error) === ssh2.utils.sftp.STATUS_CODE.NO_SUCH_FILE;
      reject(isMissing ? new Error("file does not exist") : error);
    });
  });
  return what === undefined ? answer : wrap(what, answer);
}

async function wrap(what: string, work: Promise<void>): Promise<void> {
  try {
    await work;
  } catch (error) {
    throw new Error(`${what}: ${(error as Error).message}`, { cause: error });
  }
}

// The SFTP status in ssh2's `code`, which its types leave out.
function errorCode(error: Error): unknown {
  return (error as { code?: unknown }).code;
}
