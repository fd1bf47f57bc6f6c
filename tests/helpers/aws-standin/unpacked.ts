/** User data on the machine: cloud-init unpacks gzip, and our own step the programs. */
import { gunzipSync } from "node:zlib";
import lzma from "lzma";
import { parse, stringify } from "yaml";

interface Document {
  readonly write_files?: readonly File[];
  readonly runcmd?: readonly unknown[];
}

interface File {
  readonly path: string;
  readonly content: string;
  readonly encoding?: string;
  readonly permissions?: string;
}

/** The `#cloud-config` in EC2's bytes, with its programs unpacked. */
export function unpacked(bytes: Buffer): string {
  const text = (bytes[0] === 0x1f && bytes[1] === 0x8b ? gunzipSync(bytes) : bytes).toString();
  const document = parse(text, { version: "1.1" }) as Document;
  const { write_files: files = [], runcmd = [] } = document;
  if (!files.some(({ encoding }) => encoding === "b64")) {
    return text;
  }
  const write_files = files.flatMap((file) => (file.encoding === "b64" ? programsOf(file.content) : [file]));
  const steps = runcmd.filter((step) => !`${step}`.includes("import lzma"));
  const plain = { ...document, write_files, runcmd: steps };
  return `#cloud-config\n${stringify(plain, { version: "1.1", lineWidth: 0, indent: 1 })}`;
}

function programsOf(content: string): File[] {
  const texts = fromLzma(content);
  return texts.split("\0").map((one) => {
    const [head = "", ...lines] = one.split("\n");
    const [path = "", permissions = ""] = head.split(" ");
    return { path, content: lines.join("\n"), permissions };
  });
}

/** Text of an `.lzma` file in base64. */
export function fromLzma(content: string): string {
  const read = lzma.decompress(Buffer.from(content, "base64"));
  return typeof read === "string" ? read : Buffer.from(read).toString();
}
