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
import { groupsOf } from "../../tools/reference/site-index.ts";

const root = fileURLToPath(new URL("../../", import.meta.url));
const directory = mkdtempSync(join(tmpdir(), "egress-bench-site-"));
const screenshots = join(root, "out/screenshots");
const groups = groupsOf(readFileSync(join(root, "docs/README.md"), "utf8"));
const widths = { desktop: 1400, phone: 390 };

let browser: Browser;
let said: string;
beforeAll(async () => {
  const output = relative(root, join(directory, "site"));
  const made = promisify(execFile)(process.execPath, ["tools/reference/site.ts", output], { cwd: root });
  said = (await made).stdout;
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

test("TypeDoc gives no warning, such as a link to a missing heading", () => {
  expect(said).toContain("html generated at");
  expect(said).not.toContain("warning");
});

test("every document of the index is under its heading", async () => {
  const page = await open("index.html", widths.desktop);
  for (const { group, links } of groups) {
    const titles = page.locator("details", { has: page.locator("summary", { hasText: group }) }).locator("a");
    await expect
      .poll(() => titles.allTextContents())
      .toEqual(expect.arrayContaining(links.map(({ title }) => title)));
  }
  await page.close();
});

/** Pixels by which a page is wider than a window, by the window's width; empty if it fits. */
async function tooWide(page: Page): Promise<string[]> {
  const wide: string[] = [];
  for (const width of Object.values(widths)) {
    await page.setViewportSize({ width, height: 900 });
    const over = await page.evaluate<number>("document.documentElement.scrollWidth - innerWidth");
    if (over > 0) wide.push(`${over} pixels at ${width}`);
  }
  return wide;
}

test("no page is wider than its window", async () => {
  const page = await browser.newPage();
  for (const path of ["index.html", "classes/egress-bench_azure.NatInstance.html", "documents/Plans.html"]) {
    await page.goto(addressOf(path));
    expect(await tooWide(page), path).toEqual([]);
    await page.screenshot({ path: join(screenshots, `site-${path.replace(/.*\//, "")}.png`) });
  }
  // Parts about one document are the same on each page, and take most of a page's time.
  const documents = pages("documents");
  expect(documents.length).toBeGreaterThan(30);
  for (const path of documents) {
    const html = readFileSync(join(directory, "site", path), "utf8");
    await page.evaluate(
      `document.querySelector(".col-content").outerHTML =
        new DOMParser().parseFromString(${JSON.stringify(html)}, "text/html").querySelector(".col-content").outerHTML`,
    );
    expect(await tooWide(page), path).toEqual([]);
  }
  await page.close();
});

test("the search finds words of documents and of the API", async () => {
  const page = await open("index.html", widths.desktop);
  await page.locator("#tsd-search-trigger").click();
  for (const [word, title] of [
    ["flowtable", "The NAT instance"],
    ["LoadBalancerEgress", "LoadBalancerEgress"],
  ] as const) {
    await page.locator("#tsd-search-input").fill(word);
    await expect.poll(() => page.locator("#tsd-search-results").textContent()).toContain(title);
  }
  await page.close();
});
