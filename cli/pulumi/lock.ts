/** Locks a cell for one command, over all clones and machines, by a record in the shared backend. */
import { hostname } from "node:os";
import { join } from "node:path";
import type { S3Client } from "@aws-sdk/client-s3";
import { makeDirectory } from "../terminal/result-files.ts";
import { holdStack, isPulumi, processIdentity, StackBusyError } from "./stack-hold.ts";
import { openStack, PROJECT, type StackWorkspace } from "./workspace.ts";

const COMMAND = "npm run compare -- --matrix";

/** Directory of the locks, next to the states. */
const DIRECTORY = ".egress-bench/locks";

type Unlock = () => Promise<void>;

/**
 * Locks a cell of a backend. A directory's locks work between clones on one machine, an S3 bucket's between machines. Other
 * backends have only Pulumi's own lock while a stack is being changed.
 *
 * @returns a function that unlocks
 * @throws {StackBusyError} naming the holder
 */
export async function lockCell(backendUrl: string | undefined, cell: string): Promise<Unlock> {
  const url = backendUrl === undefined ? null : new URL(backendUrl);
  if (url?.protocol === "s3:") {
    return lockInBucket(url, cell);
  }
  if (url?.protocol !== "file:") {
    return async () => undefined;
  }
  const directory = join(decodeURIComponent(url.pathname), DIRECTORY);
  makeDirectory(directory);
  const release = holdStack(join(directory, `${cell}.lock`), cell, COMMAND);
  return async () => release();
}

interface Holder {
  readonly host: string;
  readonly pid: number;
  readonly identity: string;
}

/** Renewal interval of a record, and the age at which its holder counts as gone. */
const RENEWAL = { everyMs: 60_000, goneAfterMs: 15 * 60_000 };

async function lockInBucket(url: URL, cell: string): Promise<Unlock> {
  const prefix = url.pathname.replace(/^\//, "");
  const key = [prefix, DIRECTORY, PROJECT, `${cell}.json`].filter(Boolean).join("/");
  // The SDK takes a while to load.
  const sdk = await import("@aws-sdk/client-s3");
  const client = clientOf(sdk, url.searchParams);
  const place = { Bucket: url.hostname, Key: key };
  const own: Holder = { host: hostname(), pid: process.pid, identity: `${processIdentity(process.pid)}` };
  const put = async (condition: { IfNoneMatch?: string; IfMatch?: string }) =>
    (await client.send(new sdk.PutObjectCommand({ ...place, ...condition, Body: JSON.stringify(own) }))).ETag;
  let etag = await put({ IfNoneMatch: "*" }).catch(async (error: Error) => {
    if (!(error.name === "PreconditionFailed" || error.name === "ConditionalRequestConflict")) {
      throw error;
    }
    return put({ IfMatch: await goneHolder(sdk, client, place, cell) });
  });
  const timer = setInterval(async () => {
    // A failed renewal leaves the record unchanged; the next one may succeed.
    etag = await put({ IfMatch: etag ?? "" }).catch(() => etag);
  }, RENEWAL.everyMs).unref();
  return async () => {
    clearInterval(timer);
    await client.send(new sdk.DeleteObjectCommand(place)).catch(() => undefined);
    client.destroy();
  };
}

type Sdk = typeof import("@aws-sdk/client-s3");

/** The tag of a record whose holder is gone. @throws {StackBusyError} if it is not */
async function goneHolder(
  sdk: Sdk,
  client: S3Client,
  place: { readonly Bucket: string; readonly Key: string },
  cell: string,
): Promise<string> {
  const { Body, ETag = "", LastModified } = await client.send(new sdk.GetObjectCommand(place));
  const holder = JSON.parse((await Body?.transformToString()) ?? "{}") as Holder;
  const isOld = LastModified !== undefined && Date.now() - LastModified.getTime() > RENEWAL.goneAfterMs;
  const isDead = holder.host === hostname() && `${processIdentity(holder.pid)}` !== holder.identity;
  if (isOld || isDead) {
    return ETag;
  }
  throw new StackBusyError(
    `cell ${cell}: a command on ${holder.host} (process ${holder.pid}) is using it; wait until it ends`,
  );
}

/** Reads the address as Pulumi's own backend does: with an optional endpoint and region. */
function clientOf({ S3Client }: Sdk, query: URLSearchParams): S3Client {
  const endpoint = query.get("endpoint");
  const region = query.get("region") ?? process.env.AWS_REGION;
  const scheme = query.get("disableSSL") === "true" ? "http" : "https";
  return new S3Client({
    ...(region === undefined ? {} : { region }),
    ...(endpoint === null
      ? {}
      : { endpoint: /^https?:/.test(endpoint) ? endpoint : `${scheme}://${endpoint}`, forcePathStyle: true }),
  });
}

/**
 * Whether a stack is locked by an engine that is gone. The caller holds the cell, so no other command uses it; on
 * this machine the process is checked too.
 *
 * @param errors The engine's messages.
 */
export function isLeftLocked(errors: readonly string[]): boolean {
  const text = errors.join("\n");
  const holders = [...text.matchAll(/created by \S+@(\S+) \(pid (\d+)\)/g)];
  const isAlive = ([, host, pid]: RegExpMatchArray) => host === hostname() && isPulumi(Number(pid));
  return /is currently locked by/.test(text) && holders.length > 0 && !holders.some(isAlive);
}

/** Removes the lock. */
export async function unlock(stack: string, workspace: StackWorkspace): Promise<void> {
  const opened = await openStack(stack, workspace, true);
  await opened.stack.cancel();
}
