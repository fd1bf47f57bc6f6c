/**
 * A store in an S3 bucket, `s3://BUCKET/PREFIX`. Its files never change, so a local mirror downloads each of them once.
 */
import { createHash } from "node:crypto";
import { readdirSync, readFileSync, rmSync } from "node:fs";
import { dirname, join } from "node:path";
import { fileURLToPath } from "node:url";
import type { S3Client } from "@aws-sdk/client-s3";
import pLimit from "p-limit";
import type { Results } from "../../bench/index.ts";
import { makeDirectory, replace } from "../terminal/result-files.ts";
import { UsageError } from "../usage-error.ts";

const PARALLEL = 16;

const mirrors = fileURLToPath(new URL("../../.egress-bench/history", import.meta.url));

/** Whether a store is in a bucket rather than a directory. */
export function isBucket(store: string): boolean {
  return store.startsWith("s3://");
}

/**
 * Opens the bucket of a store and checks that its files may be listed; errors name the store and the remedy. Region and
 * credentials are those of AWS's own tools; `AWS_ENDPOINT_URL_S3` or `AWS_ENDPOINT_URL` names another service that speaks S3.
 *
 * @throws {UsageError} for a store that names no bucket, and where the bucket cannot be listed
 */
export async function openBucket(store: string) {
  const [, name, path = ""] = /^s3:\/\/([a-z0-9][a-z0-9.-]{1,61}[a-z0-9])(?:\/(.*))?$/.exec(store) ?? [];
  if (name === undefined || /(^|\/)\.{0,2}(\/|$)/.test(path.replace(/\/$/, "") || "x")) {
    throw new UsageError(`--store: expected s3://BUCKET or s3://BUCKET/PREFIX; got ${store}`);
  }
  const prefix = path === "" || path.endsWith("/") ? path : `${path}/`;
  // The SDK takes a while to load.
  const sdk = await import("@aws-sdk/client-s3");
  const client = clientOf(sdk);
  const mirror = join(mirrors, name, ...prefix.split("/"));
  const explained = <T>(answer: Promise<T>) =>
    answer.catch((error: Error) => {
      throw new UsageError(`--store: ${store}: ${reasonOf(error)}`);
    });
  const key = (file: string) => `${prefix}${file.replaceAll("\\", "/")}`;
  const listed = (most?: number) => explained(list(sdk, client, name, prefix, most));
  await listed(1);
  return {
    /** The directory that `pull` fills. */
    mirror,
    /** Downloads the bucket's runs into the mirror and removes others. */
    pull: async () => {
      const there = new Set((await listed()).filter((one) => RUN_FILE.test(one)));
      makeDirectory(mirror);
      const here = readdirSync(mirror, { recursive: true, encoding: "utf8" }).filter((one) =>
        RUN_FILE.test(one),
      );
      for (const gone of here.filter((one) => !there.has(one.replaceAll("\\", "/")))) {
        rmSync(join(mirror, gone));
      }
      const missing = [...there].filter((one) => !here.includes(join(one)));
      await explained(
        pLimit(PARALLEL).map(missing, async (file) => {
          const { Body } = await client.send(new sdk.GetObjectCommand({ Bucket: name, Key: key(file) }));
          makeDirectory(dirname(join(mirror, file)));
          replace(join(mirror, file), (await Body?.transformToByteArray()) ?? new Uint8Array());
        }),
      );
    },
    /** Copies files of the mirror to the bucket. @returns whether each is new there; existing files stay unchanged */
    push: (names: readonly string[]) =>
      explained(
        pLimit(PARALLEL).map(names, async (file) => {
          const Body = readFileSync(join(mirror, file));
          const put = new sdk.PutObjectCommand({ Bucket: name, Key: key(file), Body, IfNoneMatch: "*" });
          return await client.send(put).then(
            () => true,
            (error: Error) => {
              if (error.name === "PreconditionFailed") {
                return false;
              }
              throw error;
            },
          );
        }),
      ),
    close: () => client.destroy(),
  };
}

type Sdk = typeof import("@aws-sdk/client-s3");

function clientOf({ S3Client }: Sdk): S3Client {
  const own = process.env.AWS_ENDPOINT_URL_S3 ?? process.env.AWS_ENDPOINT_URL;
  return new S3Client({
    followRegionRedirects: true,
    requestHandler: { connectionTimeout: 10_000, requestTimeout: 60_000 },
    // Only AWS has a host name for each bucket.
    ...(own === undefined ? {} : { forcePathStyle: true }),
    ...(process.env.AWS_REGION === undefined && own !== undefined ? { region: "us-east-1" } : {}),
  });
}

async function list(
  sdk: Sdk,
  client: S3Client,
  bucket: string,
  prefix: string,
  most?: number,
): Promise<string[]> {
  const names: string[] = [];
  const pages = sdk.paginateListObjectsV2(
    { client, ...(most === undefined ? {} : { pageSize: most }) },
    { Bucket: bucket, Prefix: prefix },
  );
  for await (const { Contents = [] } of pages) {
    names.push(...Contents.flatMap(({ Key }) => Key?.slice(prefix.length) ?? []));
    if (most !== undefined) break;
  }
  return names;
}

function reasonOf({ name, message }: Error): string {
  switch (name) {
    case "NoSuchBucket":
      return "there is no such bucket; make it first, or choose another";
    case "CredentialsProviderError":
      return "no AWS credentials were found; log in (aws sso login, aws configure) or set AWS_PROFILE or AWS_ACCESS_KEY_ID";
    case "AccessDenied":
      return "access was denied; runs need s3:ListBucket on the bucket, s3:GetObject and s3:PutObject on its objects";
    default:
      return `${name}: ${message.slice(0, 200)}`;
  }
}

/** Paths of runs within a store; other files there are not ours. */
export const RUN_FILE = /^(\d{4}-\d{2}|undated)[\\/][0-9a-f]{16}-\d{8}-[0-9a-f]{16}\.parquet$/;

const digest = (text: string, length: number) =>
  createHash("sha256").update(text).digest("hex").slice(0, length);

/** Path of a run's file: its month, identity, number of rows, and a digest of them. Equal content has the same name. */
export function runFile({ cloud, stack, runId, startedAt }: Results, rows: number, lines: string): string {
  const run = digest(JSON.stringify([cloud, stack, runId]), 16);
  const name = `${run}-${String(rows).padStart(8, "0")}-${digest(lines, 16)}.parquet`;
  return join((startedAt ?? "undated").slice(0, 7), name);
}
