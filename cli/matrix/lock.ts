/** One command at a time works on a cell, whichever clone or machine it runs on: a record in the shared backend. */
import { hostname } from "node:os";
import { join } from "node:path";
import type { S3Client } from "@aws-sdk/client-s3";
import { processIdentity } from "../run/processes.ts";
import { makeDirectory } from "../run/result-files.ts";
import { holdStack, StackBusyError } from "../run/stack-hold.ts";
import { PROJECT } from "../run/workspace.ts";

/** Takes cells. */
export interface CellLocks {
  /** @returns what gives the cell back. @throws {StackBusyError} naming who has it */
  take(cell: string): Promise<() => Promise<void>>;
}

const COMMAND = "npm run compare -- --matrix";

/** Where locks are, beside the states. */
const DIRECTORY = ".egress-bench/locks";

/**
 * Locks of a backend. A directory's hold between clones of one machine, a bucket's of S3 between machines. On other
 * backends Pulumi's own lock alone holds, while a stack is being changed.
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

/** The holder of a cell, as its record says. */
interface Holder {
  readonly host: string;
  readonly pid: number;
  readonly identity: string;
}

/** A record is renewed this often; one that was not for so long is that of a machine that is gone. */
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
        // A renewal that fails leaves the record as it is; the next may reach the bucket again.
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

/** The tag of a record whose holder is gone. @throws {StackBusyError} where it is not */
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

/** As Pulumi's own backend reads the address: an endpoint and a region of one's own. */
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
