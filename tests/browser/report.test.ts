/**
 * The report in a real Chromium: without messages and requests, usable by keyboard, complete without script. Needs Debian's package
 * `chromium`. Proves nothing about other browsers.
 */
import { mkdirSync, mkdtempSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { pathToFileURL } from "node:url";
import type { Browser, Page } from "playwright-core";
import { afterAll, beforeAll, describe, expect, it } from "vitest";
import { makeReport, toHtml } from "../../report/index.ts";
import { handMadeResults } from "../fixtures/results/hand-made.ts";
import { richResults } from "../fixtures/results/hand-made-rich.ts";
import { matrixResults } from "../fixtures/results/matrix.ts";
import { launchBrowser, openPage, overflow, screenshots, sizes, unfold } from "./chromium.ts";

const directory = mkdtempSync(join(tmpdir(), "egress-bench-report-"));
const hostileName = `<img src=x onerror="document.title='owned'">`;

let browser: Browser;
/** The report that most tests look at, drawn once. */
let plain: string;

function pageFile(name: string, change: Parameters<typeof handMadeResults>[0] = {}): string {
  const read = { inputs: [{ source: "hand-made", results: handMadeResults(change) }], problems: [] };
  const file = join(directory, `${name}.html`);
  writeFileSync(file, toHtml(makeReport(read, { madeAt: "2026-11-21T09:00:00Z" })));
  return pathToFileURL(file).href;
}

beforeAll(async () => {
  mkdirSync(screenshots, { recursive: true });
  plain = pageFile("plain");
  browser = await launchBrowser();
});

afterAll(async () => {
  await browser?.close();
  rmSync(directory, { recursive: true, force: true });
});

const open = (url: string, options: Parameters<Browser["newPage"]>[0] = {}) =>
  openPage(browser, url, options);

describe.each(Object.entries(sizes))("at %s width", (name, viewport) => {
  let seen: Awaited<ReturnType<typeof open>>;
  beforeAll(async () => {
    seen = await open(plain, { viewport, colorScheme: name === "phone" ? "dark" : "light" });
  });
  afterAll(() => seen?.page.close());

  it("logs nothing, requests nothing, and fits in both colour schemes", async () => {
    const { page, said, asked } = seen;
    await page.screenshot({ path: join(screenshots, `report-${name}.png`), fullPage: true });
    for (const colorScheme of ["light", "dark"] as const) {
      await page.emulateMedia({ colorScheme });
      expect(await overflow(page)).toBeLessThanOrEqual(0);
    }
    expect(said).toEqual([]);
    expect(asked.filter((one) => one !== plain && !one.startsWith("data:"))).toEqual([]);
  });

  it("shows one drawing of each picture, none smaller than it was drawn for", async () => {
    const { page } = seen;
    await unfold(page);
    const figures = page.locator("section > figure");
    for (const figure of await figures.all()) {
      expect(await figure.locator("svg[role=img]:visible").count()).toBe(1);
    }
    const width = await page
      .locator("#chart-throughput svg[role=img]:visible")
      .evaluate((svg) => svg.clientWidth);
    expect(width).toBeGreaterThanOrEqual(name === "phone" ? 340 : 900);
  });
});

it("fits with searches, NAT limits and network counters too", async () => {
  const { page, said } = await open(pageFile("rich", richResults()));
  for (const [name, viewport] of Object.entries(sizes)) {
    await page.setViewportSize(viewport);
    await unfold(page);
    expect(await overflow(page), name).toBeLessThanOrEqual(0);
    expect(await page.locator("#nat-limits table").isVisible()).toBe(true);
  }
  await page.screenshot({ path: join(screenshots, "report-rich.png"), fullPage: true });
  expect(said).toEqual([]);
  await page.close();
});

describe("without script", () => {
  it("is complete: tables, pictures, choice of topologies, scales", async () => {
    // The browser opens the folded section that a link leads to.
    const { page } = await open(`${plain}#pictures`, { javaScriptEnabled: false });
    await page.locator("#chart-throughput").getByRole("radio", { name: "logarithmic" }).check();
    expect(await page.locator("#chart-throughput .wide.second").isVisible()).toBe(true);
    expect(await page.locator("#chart-throughput .wide.first").isVisible()).toBe(false);
    const marks = page.locator("#chart-throughput .wide.second [data-column='3']");
    expect(await marks.first().isVisible()).toBe(true);
    await page.getByRole("checkbox", { name: "firewall" }).uncheck();
    expect(await marks.first().isVisible()).toBe(false);
    expect(await page.locator("#verdict tr[data-column='3']").isVisible()).toBe(false);
    expect(await page.locator("#verdict tr[data-column='2']").isVisible()).toBe(true);
    // The browser's own tips.
    expect(await marks.first().locator("title").first().textContent()).toContain("firewall, ");
    await page.close();
  });
});

describe("keyboard, pointer and print", () => {
  let page: Page;
  let said: string[];
  beforeAll(async () => {
    ({ page, said } = await open(plain, { colorScheme: "dark" }));
    await unfold(page);
  });
  afterAll(() => page?.close());

  it("reaches every control with the Tab key", async () => {
    const reached = new Set<string>();
    for (let presses = 0; presses < 150; presses++) {
      await page.keyboard.press("Tab");
      const focused =
        "(e => e.id || e.name || e.textContent.slice(0, 40) || e.tagName)(document.activeElement)";
      const [tag, label] = await page.evaluate<[string, string]>(
        `[document.activeElement.tagName, ${focused}]`,
      );
      if (tag === "BODY") {
        break;
      }
      reached.add(`${tag} ${label}`);
    }
    const all = [...reached].join("\n");
    for (const control of [
      "INPUT show-0",
      "INPUT show-3",
      "INPUT scale-throughput",
      "svg",
      "SUMMARY Figures",
      "DIV ",
    ]) {
      expect(all).toContain(control);
    }
  });

  it("shows values by arrow keys and by pointer", async () => {
    const picture = page.locator("#chart-throughput svg[role=img]:visible");
    await picture.focus();
    await page.keyboard.press("ArrowRight");
    expect(await page.locator("#tip").textContent()).toBe("direct, TCP egress: 11.5 Gbit/s");
    await page.keyboard.press("Escape");
    expect(await page.locator("#tip").isVisible()).toBe(false);
    await picture.locator(".mark[data-column='1']").first().hover();
    expect(await page.locator("#tip").textContent()).toBe("nat-gateway, TCP egress: 10.7 Gbit/s, ×0.93");
    expect(said).toEqual([]);
  });

  it("prints every picture in light colours, without its controls", async () => {
    await page.emulateMedia({ media: "print", colorScheme: "dark" });
    expect(await page.evaluate("getComputedStyle(document.body).backgroundColor")).toBe("rgb(255, 255, 255)");
    expect(await page.locator(".chooser").isVisible()).toBe(false);
    const pdf = await page.pdf({ path: join(screenshots, "report.pdf"), format: "A4" });
    expect(pdf.length).toBeGreaterThan(50_000);
  });
});

it("shows hostile names as text", async () => {
  const results = handMadeResults();
  const topologies = results.topologies.map((one) =>
    one.name === "firewall" ? { ...one, name: hostileName } : one,
  );
  const cases = results.cases.map((one) =>
    one.topology === "firewall" ? { ...one, topology: hostileName } : one,
  );
  const { page, said } = await open(pageFile("hostile", { topologies, cases, notes: [hostileName] }));
  expect(await page.title()).toBe("Egress comparison: compare (azure)");
  expect(await page.locator("img").count()).toBe(0);
  expect(await page.locator("#verdict tbody th").last().textContent()).toContain(hostileName);
  expect(said).toEqual([]);
  await page.close();
});

describe("the cells of a matrix", () => {
  it("are sorted by a column and filtered by words, with missing values last", async () => {
    const inputs = matrixResults(60, 3).map((results) => ({ source: results.stack, results }));
    const file = join(directory, "matrix.html");
    writeFileSync(file, toHtml(makeReport({ inputs, problems: [] }, { madeAt: "2026-11-21T09:00:00Z" })));
    const { page, said } = await open(pathToFileURL(file).href, { viewport: sizes.desktop });
    const rows = page.locator("table.sortable tbody tr:visible");
    await unfold(page);
    await page.getByLabel("Rows with all of these words").fill("eu-west-1 m7g");
    expect(await rows.count()).toBe(2);
    expect(await page.locator(".filter output").textContent()).toBe("2 of 60");
    await page.getByLabel("Rows with all of these words").fill("");
    const head = page.locator("table.sortable thead th").nth(4);
    const values = async () =>
      (
        await rows.evaluateAll((all) =>
          all.map((row) => row.querySelector("td:nth-child(5)")?.getAttribute("data-value")),
        )
      ).map((value) => (value == null ? null : Number(value)));
    for (const [order, sign] of [
      ["ascending", 1],
      ["descending", -1],
    ] as const) {
      await head.getByRole("button").click();
      expect(await head.getAttribute("aria-sort")).toBe(order);
      const all = await values();
      const known = all.filter((value) => value !== null);
      expect(all).toEqual([
        ...known.toSorted((a, b) => sign * (a - b)),
        ...Array.from({ length: all.length - known.length }, () => null),
      ]);
    }
    expect(await overflow(page)).toBeLessThanOrEqual(0);
    expect(said).toEqual([]);
    await page.close();
  });
});
