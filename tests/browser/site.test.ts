/**
 * The documents' site in a real Chromium, at the widths of a desktop and a phone: every document is there under its
 * group, the search finds words of documents and of the API, and no page is wider than its window. Proves nothing about other browsers.
 */
import { execFile } from "node:child_process";
import { mkdirSync, mkdtempSync, readdirSync, readFileSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import { join, relative } from "node:path";
import { fileURLToPath, pathToFileURL } from "node:url";
import { promisify } from "node:util";
import { type Browser, chromium, type Page } from "playwright-core";
import { afterAll, beforeAll, expect, test } from "vitest";
import { groupsOf } from "../../docs/generate/site-index.ts";

const root = fileURLToPath(new URL("../../", import.meta.url));
const directory = mkdtempSync(join(tmpdir(), "egress-bench-site-"));
const screenshots = join(root, "out/screenshots");
const groups = groupsOf(readFileSync(join(root, "docs/README.md"), "utf8"));
const widths = { desktop: 1400, phone: 390 };

let browser: Browser;
beforeAll(async () => {
  const output = relative(root, join(directory, "site"));
  await promisify(execFile)(process.execPath, ["docs/generate/site.ts", output], { cwd: root });
  mkdirSync(screenshots, { recursive: true });
  const args = [
    "--headless",
    "--no-sandbox",
    "--disable-gpu",
    "--no-first-run",
    "--disable-background-networking",
  ];
  browser = await chromium.launch({ executablePath: "/usr/bin/chromium", args });
}, 180_000);
afterAll(async () => {
  await browser?.close();
  rmSync(directory, { recursive: true, force: true });
});

const pages = (part: string) => readdirSync(join(directory, "site", part)).map((name) => `${part}/${name}`);

const addressOf = (path: string) => pathToFileURL(join(directory, "site", path)).href;

async function open(path: string, width: number): Promise<Page> {
  const page = await browser.newPage({ viewport: { width, height: 900 } });
  await page.goto(addressOf(path));
  return page;
}

test("every document of the index stands under its heading", async () => {
  const page = await open("index.html", widths.desktop);
  for (const { group, links } of groups) {
    const titles = page.locator("details", { has: page.locator("summary", { hasText: group }) }).locator("a");
    await expect
      .poll(() => titles.allTextContents())
      .toEqual(expect.arrayContaining(links.map(({ title }) => title)));
  }
  await page.close();
});

test.each(Object.entries(widths))("no page is wider than its window on a %s", async (name, width) => {
  const wide: string[] = [];
  const page = await open("index.html", width);
  for (const path of ["index.html", ...pages("documents"), "classes/egress-bench_azure.NatInstance.html"]) {
    await page.goto(addressOf(path));
    const over = await page.evaluate<number>("document.documentElement.scrollWidth - innerWidth");
    if (over > 0) wide.push(`${path}: ${over} pixels`);
    if (path === "documents/Plans.html")
      await page.screenshot({ path: join(screenshots, `site-${name}.png`) });
  }
  await page.close();
  expect(wide).toEqual([]);
});

test.each([
  ["flowtable", "The NAT instance"],
  ["LoadBalancerEgress", "LoadBalancerEgress"],
])("the search finds %s", async (word, title) => {
  const page = await open("index.html", widths.desktop);
  await page.locator("#tsd-search-trigger").click();
  await page.locator("#tsd-search-input").fill(word);
  await expect.poll(() => page.locator("#tsd-search-results").textContent()).toContain(title);
  await page.close();
});
