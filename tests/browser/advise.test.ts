/** The page of `npm run advise` in a real Chromium: without messages and requests, readable at each width, for any logs. */
import { mkdirSync, mkdtempSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { pathToFileURL } from "node:url";
import type { Browser } from "playwright-core";
import { afterAll, beforeAll, expect, it } from "vitest";
import { advise } from "../../packages/advise/src/advice.ts";
import { toPage } from "../../packages/advise/src/page.ts";
import type { AdviceOptions } from "../../packages/advise/src/types.ts";
import { priceSnapshots } from "../../report/index.ts";
import { handMadeTraffic } from "../unit/advise/hand-made.ts";
import { launchBrowser, openPage, overflow, screenshots, sizes } from "./chromium.ts";

const directory = mkdtempSync(join(tmpdir(), "egress-bench-advice-"));
const hostile = `<img src=x onerror="document.title='owned'">`;
let browser: Browser;
let url: string;
let { page, said, asked } = {} as Awaited<ReturnType<typeof openPage>>;

beforeAll(async () => {
  mkdirSync(screenshots, { recursive: true });
  const options: AdviceOptions = {
    now: "nat-gateway",
    region: "us-east-1",
    regionFrom: "log",
    book: priceSnapshots.aws,
    results: [],
    ranges: hostile,
    madeAt: "2026-11-22T00:00:00.000Z",
  };
  const own = handMadeTraffic();
  const traffic = handMadeTraffic({
    services: [
      ...own.services,
      { service: "AMAZON", region: "us-east-1", addresses: 9, outBytes: 2e9, inBytes: 40e9 },
    ],
    destinations: Array.from({ length: 50 }, (_, index) => ({
      address: `192.0.2.${index}`,
      prefix: "192.0.2.0/24",
      service: null,
      region: null,
      outBytes: 1e8,
      inBytes: 1e9,
    })),
    logs: {
      ...own.logs,
      cut: [`${hostile}.gz`],
      bad: [
        { reason: "wrong number of fields", count: 3, atLeast: false, examples: [hostile, "x".repeat(200)] },
      ],
    },
  });
  const file = join(directory, "advice.html");
  writeFileSync(file, toPage(advise(traffic, options)));
  url = pathToFileURL(file).href;
  browser = await launchBrowser();
  ({ page, said, asked } = await openPage(browser, url));
});
afterAll(async () => {
  await browser?.close();
  rmSync(directory, { recursive: true, force: true });
});

it("logs nothing, requests nothing, and fits at each width in both colour schemes", async () => {
  expect(said).toEqual([]);
  expect(asked.filter((one) => one !== url && !one.startsWith("data:"))).toEqual([]);
  await page.evaluate("document.querySelectorAll('details').forEach((one) => { one.open = true; })");
  for (const [name, viewport] of Object.entries(sizes)) {
    await page.setViewportSize(viewport);
    for (const colorScheme of ["dark", "light"] as const) {
      await page.emulateMedia({ colorScheme });
      expect(await overflow(page), `${name} ${colorScheme}`).toBeLessThanOrEqual(0);
    }
    await page.screenshot({ path: join(screenshots, `advice-${name}.png`), fullPage: true });
  }
  expect(said).toEqual([]);
});

it("shows the logs' contents as text", async () => {
  expect(await page.title()).toBe("Which way out, by your own traffic");
  expect(await page.locator("main img").count()).toBe(0);
  expect(await page.locator("main").textContent()).toContain(hostile);
});

it("shows the answer first, and each section has its tables", async () => {
  await page.setViewportSize(sizes.desktop);
  expect(await page.locator("main > :first-child").textContent()).toMatch(
    /NAT instance \(.*\. ?Add a gateway endpoint/,
  );
  for (const question of ["You pay now", "You would pay", "You risk", "Test first", "What would change it"]) {
    const place = await page
      .locator("main > :first-child")
      .getByText(question, { exact: true })
      .boundingBox();
    expect(place?.y, question).toBeLessThan(sizes.desktop.height);
  }
  expect(await page.locator("#endpoints table").count()).toBe(2);
  expect(await page.locator("#choice tbody tr").count()).toBe(4);
});
