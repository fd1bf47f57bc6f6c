/** `npm run bench -- audit`: the real npm, and a registry with given answers. */
import { once } from "node:events";
import { mkdtempSync, rmSync } from "node:fs";
import { createServer } from "node:http";
import { tmpdir } from "node:os";
import { expect, onTestFinished, test } from "vitest";
import { auditPackages } from "../../bench/audit.ts";

/** npm's options for a registry with these advisories, or without an answer. */
async function registry(advisories: object | null): Promise<string[]> {
  const server = createServer((request, response) => {
    request.resume().on("end", () => {
      const isAsked = request.url?.endsWith("/advisories/bulk");
      response.writeHead(advisories === null ? 405 : isAsked ? 200 : 404, {
        "content-type": "application/json",
      });
      response.end(JSON.stringify(isAsked ? advisories : {}));
    });
  }).listen(0, "127.0.0.1");
  // npm caches advisories.
  const cache = mkdtempSync(`${tmpdir()}/egress-bench-audit-`);
  onTestFinished(() => {
    server.close();
    rmSync(cache, { recursive: true, force: true });
  });
  await once(server, "listening");
  const { port } = server.address() as { port: number };
  return [`--registry=http://127.0.0.1:${port}`, "--fetch-retries=0", `--cache=${cache}`];
}

const advisory = (severity: string) => [
  { id: 1, url: "https://example.com/1", title: "made up", severity, vulnerable_versions: "*", cwe: [] },
];

test("a registry that gives no advisories is no all-clear", async () => {
  expect(await auditPackages(...(await registry(null)))).toEqual({
    isBad: false,
    lines: [expect.stringMatching(/^NOT CHECKED: the npm registry gives no advisories \(405/)],
  });
});

test("no advisory is one", async () => {
  expect(await auditPackages(...(await registry({})))).toEqual({
    isBad: false,
    lines: ["0 packages with advisories"],
  });
});

test("an advisory is bad if it is high and not for development only", async () => {
  const harmless = await auditPackages(
    ...(await registry({ yaml: advisory("low"), "fast-check": advisory("critical") })),
  );
  expect(harmless.isBad).toBe(false);
  expect(harmless.lines).toEqual(
    expect.arrayContaining([
      expect.stringMatching(/^yaml .*: low$/),
      expect.stringMatching(/^fast-check .*: critical, in development only$/),
    ]),
  );
  const bad = await auditPackages(...(await registry({ yaml: advisory("high") })));
  expect(bad.isBad).toBe(true);
  expect(bad.lines).toContainEqual(expect.stringMatching(/^yaml .*: high$/));
});
