/** Locks a cell for one command, over all clones and machines, by a record in the shared backend. */
import { hostname } from "node:os";
import { join } from "node:path";
import type { S3Client } from "@aws-sdk/client-s3";
import { processIdentity } from "../run/processes.ts";
import { makeDirectory } from "../run/result-files.ts";
import { holdStack, StackBusyError } from "../run/stack-hold.ts";
import { PROJECT } from "../run/workspace.ts";

/** Locks of cells. */
export interface CellLocks {
  /** @returns a function that unlocks. @throws {StackBusyError} naming the holder */
  take(cell: string): Promise<() => Promise<void>>;
}

const COMMAND = "npm run compare -- --matrix";

/** Directory of the locks, next to the states. */
const DIRECTORY = ".egress-bench/locks";

/**
 * Locks of a backend. A directory's locks work between clones on one machine, an S3 bucket's between machines. Other
 * backends have only Pulumi's own lock while a stack is being changed.
 */
export function locksOf(backendUrl: string | undefined): CellLocks {
  const url = backendUrl === undefined ? null : new URL(backendUrl);
  switch (url?.protocol) {
    case "file:":
      return directoryLocks(join(decodeURIComponent(url.pathname), DIRECTORY));
    case "s3:":
      return bucketLocks(url);
    default:
      return { take: async () => async () => undefined };
  }
}

function directoryLocks(directory: string): CellLocks {
  return {
    take: async (cell) => {
      makeDirectory(directory);
      const release = holdStack(join(directory, `${cell}.lock`), cell, COMMAND);
      return async () => release();
    },
  };
}

/** The holder of a cell, from its record. */
interface Holder {
  readonly host: string;
  readonly pid: number;
  readonly identity: string;
}

/** Renewal interval of a record, and the age at which its holder counts as gone. */
const RENEWAL = { everyMs: 60_000, goneAfterMs: 15 * 60_000 };

function bucketLocks(url: URL): CellLocks {
  const prefix = url.pathname.replace(/^\//, "");
  const key = (cell: string) => [prefix, DIRECTORY, PROJECT, `${cell}.json`].filter(Boolean).join("/");
  return {
    take: async (cell) => {
      // The SDK takes a while to load.
      const sdk = await import("@aws-sdk/client-s3");
      const client = clientOf(sdk, url.searchParams);
      const place = { Bucket: url.hostname, Key: key(cell) };
      const own: Holder = { host: hostname(), pid: process.pid, identity: `${processIdentity(process.pid)}` };
      const put = async (condition: { IfNoneMatch?: string; IfMatch?: string }) =>
        (await client.send(new sdk.PutObjectCommand({ ...place, ...condition, Body: JSON.stringify(own) })))
          .ETag;
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
    },
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
    `cell ${cell}: a command on ${holder.host} (process ${holder.pid}) is at work on it; wait until it ends`,
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
