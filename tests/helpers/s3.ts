/**
 * A stand-in for S3 on this machine: one bucket, listed two names at a time, whose objects are written once with
 * `If-None-Match: *`, as S3 documents it for ListObjectsV2, GetObject and PutObject.
 */
import { once } from "node:events";
import { createServer, type IncomingMessage, type ServerResponse } from "node:http";
import type { AddressInfo } from "node:net";

const PAGE = 2;

/** A running server. */
export interface S3 {
  readonly url: string;
  readonly objects: Map<string, Buffer>;
  /** Each request's method and path. */
  readonly requests: string[];
  close(): void;
}

/** Starts it. @param mayPut Whether writing is allowed. @default true */
export async function startS3(bucket: string, mayPut = true): Promise<S3> {
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
