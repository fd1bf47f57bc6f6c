/** Output of the report's programs under any locale. */
import { execFileSync } from "node:child_process";
import { fileURLToPath } from "node:url";
import { expect, it } from "vitest";

const PROGRAM = `
  const { handMadeResults } = await import("./tests/fixtures/results/hand-made.ts");
  const { summarize } = await import("./bench/summary/summary.ts");
  const { makeReport, toCsv, toMarkdown } = await import("./report/index.ts");
  const results = handMadeResults();
  const report = makeReport({ inputs: [{ source: "a.json", results }], problems: [] }, { madeAt: "2026-11-23T00:00:00Z" });
  const own = (1234.5).toLocaleString();
  console.log(JSON.stringify({ own, written: [summarize(results), toCsv(report), toMarkdown(report)] }));
`;

function written(locale: string): { own: string; written: unknown } {
  const output = execFileSync(process.execPath, ["--input-type=module", "-e", PROGRAM], {
    cwd: fileURLToPath(new URL("../..", import.meta.url)),
    env: { ...process.env, LC_ALL: locale, LANG: locale },
    encoding: "utf8",
    stdio: ["ignore", "pipe", "ignore"],
  });
  return JSON.parse(output);
}

it("is the same under a decimal comma and under a Turkish i", () => {
  const [plain, german, turkish] = ["C.UTF-8", "de_DE.UTF-8", "tr_TR.UTF-8"].map(written);
  expect(german!.own).toBe("1.234,5");
  expect(german!.written).toEqual(plain!.written);
  expect(turkish!.written).toEqual(plain!.written);
});
