/**
 * A machine's place, from a stand-in of the clouds' metadata services. Not proved: that the real ones answer in this way;
 * the shapes are from their documentation.
 */

import { spawn } from "node:child_process";
import { once } from "node:events";
import { mkdtempSync, rmSync, writeFileSync } from "node:fs";
import { createServer } from "node:http";
import type { AddressInfo } from "node:net";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { fileURLToPath } from "node:url";
import { describe, expect, it, onTestFinished } from "vitest";
import { hostFactsSchema } from "../../bench/results/index.ts";

const AZURE = "7783-7084-3265-9085-8269-3286-77";

/** A machine's firmware, and a service that answers it. */
async function placementOf(
  firmware: { vendor: string; tag: string },
  answer: (method: string, path: string, headers: Record<string, unknown>) => string | undefined,
): Promise<{ found: unknown; asked: string[] }> {
  const dmi = mkdtempSync(join(tmpdir(), "egress-bench-dmi-"));
  onTestFinished(() => rmSync(dmi, { recursive: true }));
  writeFileSync(join(dmi, "sys_vendor"), `${firmware.vendor}\n`);
  writeFileSync(join(dmi, "chassis_asset_tag"), `${firmware.tag}\n`);
  const asked: string[] = [];
  const server = createServer(({ method = "", url = "", headers }, response) => {
    asked.push(`${method} ${url}`);
    const text = answer(method, url, headers);
    response.writeHead(text === undefined ? 404 : 200).end(text ?? "not found");
  }).listen(0, "127.0.0.1");
  await once(server, "listening");
  onTestFinished(() => void server.close());
  const { port } = server.address() as AddressInfo;
  const agent = fileURLToPath(new URL("../../agent/", import.meta.url));
  // Not `evaluate`, which would keep this process from answering.
  const program = `import json, sys; sys.path.insert(0, ${JSON.stringify(agent)})
from host.placement import placement
print(json.dumps(placement(${JSON.stringify(dmi)}, ("127.0.0.1", ${port}))))`;
  const child = spawn("python3", ["-B", "-c", program]);
  let text = "";
  child.stdout.on("data", (chunk) => (text += chunk));
  await once(child, "close");
  return { found: JSON.parse(text), asked };
}

describe("a machine's place", () => {
  it("is Azure's answer", async () => {
    const { found } = await placementOf(
      { vendor: "Microsoft Corporation", tag: AZURE },
      (_, path, headers) =>
        headers.metadata === "true" && path.startsWith("/metadata/instance/compute?")
          ? JSON.stringify({
              zone: "2",
              placementGroupId: "",
              platformFaultDomain: "0",
              location: "japaneast",
            })
          : undefined,
    );
    expect(found).toEqual({ zone: "2", zoneId: null, group: null, faultDomain: "0" });
  });

  it("is AWS's answer to a request with a token", async () => {
    const facts: Record<string, string> = {
      "availability-zone": "us-east-1a",
      "availability-zone-id": "use1-az4",
      "group-name": "placement-1",
    };
    const { found, asked } = await placementOf({ vendor: "Amazon EC2", tag: "" }, (method, path, headers) => {
      if (method === "PUT") {
        return headers["x-aws-ec2-metadata-token-ttl-seconds"] === "60" ? "a-token" : undefined;
      }
      return headers["x-aws-ec2-metadata-token"] === "a-token"
        ? facts[path.replace("/latest/meta-data/placement/", "")]
        : undefined;
    });
    expect(found).toEqual({
      zone: "us-east-1a",
      zoneId: "use1-az4",
      group: "placement-1",
      faultDomain: null,
    });
    expect(asked[0]).toBe("PUT /latest/api/token");
  });

  it.each([
    ["is unknown if the firmware names no cloud, and no request is sent", "QEMU", "", "x", 0],
    ["is unknown if the service has no such document", "Microsoft Corporation", AZURE, undefined, 1],
    ["is unknown if the service answers something else", "Microsoft Corporation", AZURE, "<html>", 1],
    ["is unknown if the answer is no text", "Microsoft Corporation", AZURE, "[1]", 1],
  ])("%s", async (_, vendor, tag, answer, times) => {
    const { found, asked } = await placementOf({ vendor, tag }, () => answer);
    expect(found).toBeNull();
    expect(asked).toHaveLength(times);
  });

  it("is null in older documents", () => {
    expect(hostFactsSchema.shape.placement.parse(undefined)).toBeNull();
  });
});
