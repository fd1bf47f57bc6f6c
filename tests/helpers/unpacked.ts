import { gunzipSync } from "node:zlib";

/** User data on the machine: cloud-init unpacks gzip. */
export function unpacked(bytes: Buffer): string {
  return (bytes[0] === 0x1f && bytes[1] === 0x8b ? gunzipSync(bytes) : bytes).toString();
}
