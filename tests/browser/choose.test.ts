/** The page of `npm run choose` in a real Chromium, as a file: inputs, regions, widths, and axe. */
import { mkdirSync, mkdtempSync, readFileSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { fileURLToPath, pathToFileURL } from "node:url";
import { AxeBuilder } from "@axe-core/playwright";
import type { Browser } from "playwright-core";
import { afterAll, beforeAll, expect, it } from "vitest";
import { numberFields, switchFields } from "../../report/choice/needs.ts";
import { toChoosePage } from "../../report/index.ts";
import { regions } from "../../tools/reference/prices.ts";
import { launchBrowser, openPage, overflow, screenshots } from "./chromium.ts";

const directory = mkdtempSync(join(tmpdir(), "egress-bench-choose-"));
const file = pathToFileURL(join(directory, "choose.html")).href;
let browser: Browser;
let { page, said, asked } = {} as Awaited<ReturnType<typeof openPage>>;

beforeAll(async () => {
  mkdirSync(screenshots, { recursive: true });
  writeFileSync(fileURLToPath(file), toChoosePage({ madeAt: "2026-11-23T07:00:00Z" }));
  browser = await launchBrowser();
  ({ page, said, asked } = await openPage(browser, file));
});
afterAll(async () => {
  await browser?.close();
  rmSync(directory, { recursive: true, force: true });
});

it("answers for both clouds, follows its inputs, and keeps them in its address", async () => {
  const sentence = (cloud: string) => page.locator(`#answer-${cloud} .sentence`).textContent();
  expect(await sentence("aws")).toMatch(
    /^AWS: take a NAT instance \(.*\), .* USD a month .* NAT gateway, .* USD$/,
  );
  expect(await sentence("azure")).toMatch(/^Azure: take .* USD a month/);
  const before = await sentence("aws");
  await page.getByRole("textbox", { name: "Received" }).fill("40000");
  expect(await sentence("aws")).not.toBe(before);
  await page.getByLabel("Prices of region").selectOption("me-central-1");
  expect(await page.locator("#bill-aws").textContent()).toContain(
    "In me-central-1 these prices are not known and those of us-east-1 are used: egress-gb.",
  );
  await page.getByText("Connections, machines, zones, address").click();
  await page.getByLabel("Connections to one destination").fill("200000");
  await page.getByText("How many do I need?").click();
  expect(await page.locator("#sizing-aws").textContent()).toContain(
    "200,000 ports at up to 55,000 per address: 4 addresses",
  );
  expect(new URL(page.url()).hash).toBe("#gb-in=40000&connections=200000&region=me-central-1");
  expect(said).toEqual([]);
  expect(asked).toHaveLength(1);
});

it("says which parts of its address do not count", async () => {
  const { page } = await openPage(browser, `${file}?gb-in=5#gb_in=5&peak-gbit=2`);
  expect(await page.locator("#needs-problem").textContent()).toBe(
    "The address has parts that do not count: gb_in=5; ?gb-in=5, which belongs behind a #.",
  );
  await page.close();
});

it.each([
  [1280, 800],
  [820, 1180],
  [390, 844],
])(
  "shows what matters most of the inputs, and then the answer, on a screen of %s by %s",
  async (width, height) => {
    const { page } = await openPage(browser, file, { viewport: { width, height } });
    const bottoms: number[] = [];
    for (const name of ["gb-in", "gb-out", "peak-gbit", "region", "now", "no-single-point"]) {
      const box = await page.locator(`#need-${name}`).boundingBox();
      bottoms.push((box?.y ?? height) + (box?.height ?? 0));
    }
    const answer = await page.locator("#answer-aws .sentence").boundingBox();
    expect(answer?.y).toBeGreaterThan(Math.max(...bottoms));
    expect((answer?.y ?? height) + (answer?.height ?? 0)).toBeLessThanOrEqual(height);
    await page.close();
  },
);

it("unfolds the other inputs where its address may set them", async () => {
  for (const [part, visible] of [
    ["#gb-in=9", false],
    ["#connections=9", true],
  ] as const) {
    const { page } = await openPage(browser, file + part);
    expect(await page.locator("#need-connections").isVisible(), part).toBe(visible);
    await page.close();
  }
});

it("is less than 3,000 px high, and prints on four pages", async () => {
  const { page } = await openPage(browser, file, { viewport: { width: 1440, height: 900 } });
  expect(await page.evaluate("document.documentElement.scrollHeight")).toBeLessThan(3000);
  const pdf = (await page.pdf({ format: "A4" })).toString("latin1");
  expect(pdf.match(/\/Type\s*\/Page\b/g)?.length).toBeLessThanOrEqual(4);
  await page.close();
});

it("accepts common number formats, and keeps the last answer, marked as old, for invalid ones", async () => {
  const received = page.getByRole("textbox", { name: "Received" });
  const answer = () => page.locator("#answer-aws").innerHTML();
  const isInvalid = () => received.getAttribute("aria-invalid");
  const isStale = () => page.evaluate<boolean>("document.body.classList.contains('stale')");
  await received.fill("5000");
  const plain = await answer();
  for (const text of ["5,000", " 5000 ", "5_000"]) {
    await received.fill(text);
    expect([await isInvalid(), await isStale(), await answer()], text).toEqual(["false", false, plain]);
  }
  const address = page.url();
  for (const text of ["abc", "-5", "1e99"]) {
    await received.fill(text);
    expect([await isInvalid(), await isStale(), await answer()], text).toEqual(["true", true, plain]);
    expect(await page.locator("#needs-problem").textContent()).toMatch(
      /^Received: expected a number from 0 /,
    );
    expect(page.url()).toBe(address);
  }
  await received.fill("5000");
  expect([await isInvalid(), await isStale(), await answer()]).toEqual(["false", false, plain]);
  expect(said).toEqual([]);
});

it("has an answer in every shipped region, and accepts every input", async () => {
  const inputs = [
    ...Object.values(regions).flatMap((names) => names.map((value) => ({ name: "region", value }))),
    ...numberFields.map(({ name }) => ({ name })),
  ];
  const program = readFileSync(new URL("set-inputs.js", import.meta.url), "utf8").replace(
    /^\/\*\*.*\n|;\n$/g,
    "",
  );
  const after = await page.evaluate<{ kept: boolean; name: string; priced: boolean }[]>(
    `(${program})(${JSON.stringify(inputs)})`,
  );
  expect(after).toHaveLength(inputs.length);
  expect(after.filter(({ kept, name, priced }) => !(kept && (priced || name !== "region")))).toEqual([]);
  for (const { name } of switchFields) {
    const box = page.locator(`#need-${name}`);
    const before = await box.isChecked();
    await box.click();
    expect(await box.isChecked(), name).toBe(!before);
    expect(new URL(page.url()).hash, name).toContain(`${name}=`);
  }
  expect(said).toEqual([]);
});

it.each([390, 820, 1280, 1440])("fits, and passes axe, at %s px", async (width) => {
  await page.setViewportSize({ width, height: 900 });
  await page.screenshot({ path: join(screenshots, `choose-${width}.png`), fullPage: true });
  expect(await overflow(page)).toBeLessThanOrEqual(0);
  const inputs = await page.locator("#needs input:not([type=checkbox]), #needs select").all();
  for (const input of inputs) {
    const box = await input.boundingBox();
    expect(box?.height).toBeGreaterThanOrEqual(36);
    expect((box?.x ?? 0) + (box?.width ?? width)).toBeLessThanOrEqual(width);
  }
  if (width === 390) {
    const { violations } = await new AxeBuilder({ page }).setLegacyMode().analyze();
    expect(violations.map(({ id, nodes }) => [id, nodes.map(({ target }) => target)])).toEqual([]);
  }
});
