import { readdir, stat as statLocal } from "node:fs/promises";
import { basename, posix } from "node:path";
import ssh2, { type Client, type SFTPWrapper, type Stats } from "ssh2";
import { systemErrorText } from "./go-text.ts";

/** Opens SFTP over a connection. @throws {Error} where the host has none */
export function openSftp(client: Client): Promise<SFTPWrapper> {
  return new Promise((resolve, reject) => {
    client.sftp((error, sftp) => (error ? reject(error) : resolve(sftp)));
  });
}

/** Writes `text` to a remote file, making the directories above it. Throws when `path` is a directory. */
export async function copyText(sftp: SFTPWrapper, text: string, path: string): Promise<void> {
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
export async function copyPath(sftp: SFTPWrapper, source: string, path: string): Promise<void> {
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
