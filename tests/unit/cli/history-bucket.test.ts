/** Runs stored in a bucket: the real SDK against a stand-in for S3 on this machine. */
import { randomBytes } from "node:crypto";
import { once } from "node:events";
import { readFileSync, rmSync, writeFileSync } from "node:fs";
import { createServer, type IncomingMessage, type ServerResponse } from "node:http";
import type { AddressInfo } from "node:net";
import { afterEach, beforeEach, expect, it, vi } from "vitest";
import { openBucket } from "../../../cli/store/bucket.ts";
import { storeRuns } from "../../../cli/store/store.ts";
import { handMadeResults } from "../../fixtures/results/hand-made.ts";
import { ran } from "../../helpers/ran.ts";
import { directoryOfEachTest } from "../../helpers/temporary.ts";

const at = directoryOfEachTest();
let name: string;
let s3: S3;

const mirrorOf = async (store: string) => {
  const bucket = await openBucket(store);
  bucket.close();
  return bucket.mirror;
};

async function serve(mayPut?: boolean): Promise<void> {
  s3 = await startS3(name, mayPut);
  vi.stubEnv("AWS_ENDPOINT_URL_S3", s3.url);
  vi.stubEnv("AWS_ACCESS_KEY_ID", "made-up");
  vi.stubEnv("AWS_SECRET_ACCESS_KEY", "made-up");
}

beforeEach(async () => {
  name = `egress-bench-test-${randomBytes(8).toString("hex")}`;
  await serve();
});
afterEach(async () => {
  rmSync(await mirrorOf(`s3://${name}`), { recursive: true, force: true });
  s3.close();
  vi.unstubAllEnvs();
});

const runs = (count: number) =>
  Array.from({ length: count }, (_, index) => {
    const startedAt = `2026-10-${20 + index}T02:00:00.000Z`;
    const whole = handMadeResults();
    return {
      ...whole,
      ...{ runId: `night-${index}`, startedAt },
      cases: whole.cases.filter(({ id }) => id === "tcp-egress").map((one) => ({ ...one, startedAt })),
    };
  });
const run = (command: "history" | "report", ...args: string[]) => ran(command, args, at());
const csv = () => readFileSync(at("out/history.csv"), "utf8");
const runsIn = (text: string) => [...new Set(text.match(/night-\d/g))].sort();

it("stores a run once, and another machine reads both machines' runs", async () => {
  const store = `s3://${name}/egress`;
  const [first, second, third] = runs(3);
  writeFileSync(at("a.json"), JSON.stringify(first));
  expect((await run("report", "a.json", "--store", store)).stderr).toContain(`1 run stored in ${store}`);
  rmSync(await mirrorOf(store), { recursive: true });
  const stored = await storeRuns(
    [first, second, third].flatMap((one) => one ?? []),
    store,
    null,
  );
  expect(stored.map(({ isNew }) => isNew)).toEqual([false, true, true]);
  expect([...s3.objects.keys()].filter((key) => !/^egress\/2026-10\/[\w-]+\.parquet$/.test(key))).toEqual([]);
  s3.objects.set("egress/../../../../stray", Buffer.from("x")).set("egress/notes.txt", Buffer.from("x"));
  rmSync(await mirrorOf(store), { recursive: true });
  expect(await run("history", "--store", store)).toMatchObject({ status: 0, stderr: "" });
  expect(runsIn(csv())).toEqual(["night-0", "night-1", "night-2"]);
});

it("fetches a file once, and forgets one that has left the bucket", async () => {
  const store = `s3://${name}`;
  await storeRuns(runs(2), store, null);
  rmSync(await mirrorOf(store), { recursive: true });
  const fetched = async () => {
    const from = s3.requests.length;
    expect(await run("history", "--store", store)).toMatchObject({ status: 0 });
    return s3.requests.slice(from).filter((one) => one.endsWith(".parquet")).length;
  };
  expect([await fetched(), await fetched()]).toEqual([2, 0]);
  s3.objects.delete([...s3.objects.keys()][0] ?? "");
  expect(await fetched()).toBe(0);
  expect(runsIn(csv())).toHaveLength(1);
});

it.each([
  ["s3://", "expected s3://BUCKET or s3://BUCKET/PREFIX; got s3://"],
  ["s3://Upper", "expected s3://BUCKET or s3://BUCKET/PREFIX; got s3://Upper"],
  ["s3://one-bucket/../../x", "expected s3://BUCKET or s3://BUCKET/PREFIX; got s3://one-bucket/../../x"],
  ["s3://another-bucket/x", "s3://another-bucket/x: there is no such bucket; make it first"],
])("refuses %s before anything is made", async (store, message) => {
  writeFileSync(at("a.json"), JSON.stringify(handMadeResults()));
  const { status, stderr, stdout } = await run("report", "a.json", "--store", store);
  expect({ status, stdout }).toEqual({ status: 2, stdout: "" });
  expect(stderr).toContain(`--store: ${message}`);
});

it("says which permissions it needs where a run may not be written", async () => {
  s3.close();
  await serve(false);
  await expect(storeRuns(runs(1), `s3://${name}`, null)).rejects.toThrow(
    `s3://${name}: access was denied; runs need s3:ListBucket on the bucket, s3:GetObject and s3:PutObject`,
  );
});

const PAGE = 2;

/** A running server. */
interface S3 {
  readonly url: string;
  readonly objects: Map<string, Buffer>;
  /** Each request's method and path. */
  readonly requests: string[];
  close(): void;
}

/** Starts it. @param mayPut Whether writing is allowed. @default true */
async function startS3(bucket: string, mayPut = true): Promise<S3> {
  const objects = new Map<string, Buffer>();
  const requests: string[] = [];
  const server = createServer(async (request, response) => {
    const { pathname, searchParams } = new URL(request.url ?? "/", "http://s3");
    requests.push(`${request.method} ${pathname}`);
    const [, name, ...rest] = decodeURIComponent(pathname).split("/");
    const key = rest.join("/");
    if (!request.headers.authorization?.startsWith("AWS4-HMAC-SHA256 ")) {
      refuse(response, 403, "AccessDenied");
    } else if (name !== bucket) {
      refuse(response, 404, "NoSuchBucket");
    } else if (request.method === "PUT") {
      const body = await bodyOf(request);
      if (!mayPut) {
        refuse(response, 403, "AccessDenied");
      } else if (request.headers["if-none-match"] === "*" && objects.has(key)) {
        refuse(response, 412, "PreconditionFailed");
      } else {
        objects.set(key, body);
        response.end();
      }
    } else if (key === "") {
      response
        .setHeader("content-type", "application/xml")
        .end(listing(searchParams, [...objects.keys()].sort()));
    } else {
      const found = objects.get(key);
      found === undefined ? refuse(response, 404, "NoSuchKey") : response.end(found);
    }
  }).listen(0, "127.0.0.1");
  await once(server, "listening");
  const { port } = server.address() as AddressInfo;
  return { url: `http://127.0.0.1:${port}`, objects, requests, close: () => server.close() };
}

function listing(query: URLSearchParams, keys: readonly string[]): string {
  const own = keys.filter((key) => key.startsWith(query.get("prefix") ?? ""));
  const after = query.get("continuation-token") ?? "";
  const rest = own.filter((key) => key > after);
  const page = rest.slice(0, Math.min(PAGE, Number(query.get("max-keys") ?? PAGE)));
  const more = page.length < rest.length;
  return [
    '<?xml version="1.0" encoding="UTF-8"?><ListBucketResult xmlns="http://s3.amazonaws.com/doc/2006-03-01/">',
    `<IsTruncated>${more}</IsTruncated>`,
    ...(more ? [`<NextContinuationToken>${page.at(-1)}</NextContinuationToken>`] : []),
    ...page.map((key) => `<Contents><Key>${key}</Key></Contents>`),
    "</ListBucketResult>",
  ].join("");
}

function refuse(response: ServerResponse, status: number, code: string): void {
  response.writeHead(status, { "content-type": "application/xml" });
  response.end(
    `<?xml version="1.0" encoding="UTF-8"?><Error><Code>${code}</Code><Message>${code}</Message></Error>`,
  );
}

/** The body; the SDK may send signed chunks followed by a checksum (`aws-chunked`). */
async function bodyOf(request: IncomingMessage): Promise<Buffer> {
  const parts: Buffer[] = [];
  for await (const part of request) {
    parts.push(part as Buffer);
  }
  const whole = Buffer.concat(parts);
  if (!request.headers["content-encoding"]?.includes("aws-chunked")) {
    return whole;
  }
  const chunks: Buffer[] = [];
  for (let at = 0; ; ) {
    const end = whole.indexOf("\r\n", at);
    const size = Number.parseInt(whole.subarray(at, end).toString(), 16);
    if (size === 0) {
      return Buffer.concat(chunks);
    }
    chunks.push(whole.subarray(end + 2, end + 2 + size));
    at = end + 2 + size + 2;
  }
}
