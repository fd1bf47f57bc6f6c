/**
 * The report's answer in a real Chromium: inputs that move it, the page's address that keeps them, and axe, which finds
 * most of what keeps people from reading a page and not all. Needs Debian's package `chromium`.
 */
import { mkdtempSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { pathToFileURL } from "node:url";
import { AxeBuilder } from "@axe-core/playwright";
import type { Browser, Page } from "playwright-core";
import { afterAll, beforeAll, describe, expect, it } from "vitest";
import { caseResult } from "../../bench/assemble/case-result.ts";
import { parsePlan } from "../../bench/index.ts";
import type { Results } from "../../bench/results/index.ts";
import { makeReport, toHtml } from "../../report/index.ts";
import { handMadeResults } from "../fixtures/results/hand-made.ts";
import { richResults } from "../fixtures/results/hand-made-rich.ts";
import { fixture, onePair, silentReport } from "../unit/bench/fixture.ts";
import { launchBrowser, openPage, overflow, unfold } from "./chromium.ts";

const directory = mkdtempSync(join(tmpdir(), "egress-bench-answer-"));
const widths = [390, 820, 1440];
const pages: Record<string, string> = {};
let browser: Browser;

/** Few cases of few seconds: axe examines each word, and each mark of each picture. */
function few(
  results: Results,
  wanted = /^(tcp-egress|tcp-egress-p8|udp-egress-1G|udp-egress-p10-5M|tcp-rtt|nat-limits)$/,
): Results {
  return {
    ...results,
    cases: results.cases
      .filter(({ id }) => wanted.test(id))
      .map(({ measurement, hosts, ...one }) => ({
        ...one,
        measurement: measurement && { ...measurement, series: measurement.series.slice(0, 2) },
        hosts: hosts.map((host) => ({
          ...host,
          network: null,
          cpu: host.cpu && { ...host.cpu, series: [] },
        })),
      })),
  };
}

function withFailover(results: Results): Results {
  const [kill] = parsePlan({ cases: [{ tool: "failover", failure: "kill" }] }).cases;
  if (kill === undefined) throw new Error("a plan without a case");
  const report = { ...silentReport, exitCode: 0, stdout: fixture("failover/alone-kill.json") };
  const failed = caseResult({ topology: "nat-instance", case: kill, command: "", pairs: onePair(report) });
  return {
    ...results,
    plan: { ...results.plan, cases: [...results.plan.cases, kill] },
    cases: [...results.cases, failed],
  };
}

function make(name: string, results: readonly Results[]): void {
  const inputs = results.map((one) => ({ source: one.stack, results: one }));
  const file = join(directory, `${name}.html`);
  writeFileSync(file, toHtml(makeReport({ inputs, problems: [] }, { madeAt: "2026-11-21T09:00:00Z" })));
  pages[name] = pathToFileURL(file).href;
}

beforeAll(async () => {
  make("plain", [handMadeResults()]);
  // A second cloud's and the lab's pages differ only in words and one table: one case covers them.
  const aws = few(handMadeResults({ cloud: "aws", stack: "aws-compare" }), /^tcp-egress$/);
  const lab = few(handMadeResults({ cloud: "local", stack: "local-compare" }), /^tcp-egress$/);
  make("mixed", [few(richResults()), aws]);
  make("lab", [withFailover(lab)]);
  browser = await launchBrowser();
});

afterAll(async () => {
  await browser?.close();
  rmSync(directory, { recursive: true, force: true });
});

/** Texts of pictures that their frame cuts off. */
const cutLabels = `[...document.querySelectorAll("svg[role=img]")].flatMap((svg) => {
  const frame = svg.getBoundingClientRect();
  return [...svg.querySelectorAll("text")].filter((text) => {
    const box = text.getBoundingClientRect();
    return box.width > 0 && (box.left < frame.left - 1 || box.right > frame.right + 1 || box.top < frame.top - 1 || box.bottom > frame.bottom + 1);
  }).map((text) => svg.querySelector("title").textContent + ": " + text.textContent);
})`;

const sentence = (page: Page) => page.locator("#answer-azure .sentence").textContent();

describe("the inputs", () => {
  let { page, said, asked } = {} as Awaited<ReturnType<typeof openPage>>;
  beforeAll(async () => {
    ({ page, said, asked } = await openPage(browser, pages.plain ?? ""));
  });
  afterAll(() => page?.close());

  it("report invalid values, and keep the answer", async () => {
    const before = await sentence(page);
    expect(before).toMatch(/^Azure: take a NAT instance/);
    await page.getByRole("textbox", { name: "Received" }).fill("lots");
    expect(await page.locator("#needs-problem").textContent()).toContain("Received: expected a number");
    expect(await sentence(page)).toBe(before);
  });

  it("change sentence, ways out, sizes and cost, without network requests", async () => {
    await page.getByLabel("Peak, both ways").fill("5");
    await page.getByRole("textbox", { name: "Received" }).fill("40000");
    expect(await sentence(page)).toMatch(
      /^Azure: take a NAT instance \(Standard_D32pls_v6\), .* USD a month/,
    );
    await page.getByText("How many do I need?").click();
    await page.getByText("Connections, machines, zones, address").click();
    await page.getByLabel("Connections to one destination").fill("200000");
    expect(await page.locator("#sizing-azure").textContent()).toContain(
      "200,000 ports at up to 50,000 per address: 4 addresses",
    );
    expect(await page.locator("#bill-azure").textContent()).toContain("yours: 40,200 GB");
    expect(new URL(page.url()).hash).toBe("#gb-in=40000&peak-gbit=5&connections=200000");
    expect(said).toEqual([]);
    expect(asked).toHaveLength(1);
  });

  it("follow the page's address, and stay when a link of the page is followed", async () => {
    await page.goto("about:blank");
    await page.goto(`${pages.plain}#peak-gbit=5&no-single-point=yes`);
    expect(await page.getByLabel("Peak, both ways").inputValue()).toBe("5");
    expect(await page.getByLabel("Needs no single point").isChecked()).toBe(true);
    expect(await sentence(page)).toMatch(/^Azure: take a NAT gateway/);
    await page.getByText("Published by others").first().click();
    await page.getByRole("link", { name: "azure-nat-2025-11" }).first().click();
    expect(new URL(page.url()).hash).toBe("#peak-gbit=5&no-single-point=yes");
  });

  it("cut no label of any picture, as wide as the page is", async () => {
    await unfold(page);
    for (const width of widths) {
      await page.setViewportSize({ width, height: 1000 });
      expect(await page.evaluate<string[]>(cutLabels), `${width} pixels`).toEqual([]);
    }
  });

  it("hide the rows of a topology in tables that name it once per row, and move none of their cells", async () => {
    const place = page.locator("#failures tbody tr").filter({ hasText: "firewall" });
    expect(await place.isVisible()).toBe(true);
    await page.getByRole("checkbox", { name: "firewall" }).uncheck();
    expect(await place.isVisible()).toBe(false);
    const other = page.locator("#failures tbody tr").filter({ hasText: "nat-instance" });
    expect(
      await other
        .locator("th,td")
        .evaluateAll((cells) => cells.filter((cell) => cell.getClientRects().length > 0).length),
    ).toBe(4);
  });
});

it.each(["plain", "lab", "mixed"])("%s: the answer is in the first window", async (name) => {
  const { page } = await openPage(browser, pages[name] ?? "", { viewport: { width: 1440, height: 900 } });
  for (const answer of await page.locator(".answer").all()) {
    const { y, height } = (await answer.boundingBox()) ?? { y: 0, height: 0 };
    expect(y + height).toBeLessThan(900);
    expect(await answer.locator("h3").allTextContents()).toEqual(["Why", "What would change it"]);
  }
  expect(await page.locator(".answer").count()).toBe(name === "plain" ? 1 : 2);
  expect(await page.evaluate("document.documentElement.scrollHeight")).toBeLessThan(4000);
  const pdf = (await page.pdf({ format: "A4" })).toString("latin1");
  expect(pdf.match(/\/Type\s*\/Page\b/g)?.length).toBeLessThanOrEqual(4);
  await page.close();
});

it("shows no inputs without script, and the answer", async () => {
  const { page } = await openPage(browser, pages.plain ?? "", { javaScriptEnabled: false });
  expect(await page.locator("#needs").isVisible()).toBe(false);
  expect(await sentence(page)).toMatch(/^Azure: take a NAT instance/);
  await page.close();
});

const looks = ["light", "dark", "print"] as const;
type Look = (typeof looks)[number];

async function dress(page: Page, width: number, look: Look): Promise<void> {
  await page.setViewportSize({ width, height: 1000 });
  await page.emulateMedia({
    media: look === "print" ? "print" : "screen",
    colorScheme: look === "dark" ? "dark" : "light",
  });
}

/** axe's findings: by all rules, by contrast only, or by all except contrast. */
async function found(page: Page, rules: "all" | "contrast" | "all but contrast", where = "html") {
  const contrast = ["color-contrast"];
  // Otherwise it describes each of the thousands of passing marks.
  const builder = new AxeBuilder({ page })
    .setLegacyMode()
    .options({ resultTypes: ["violations"] })
    .include(where);
  if (rules === "contrast") builder.withRules(contrast);
  if (rules === "all but contrast") builder.disableRules(contrast);
  const { violations } = await builder.analyze();
  return violations.map(({ id, nodes }) => {
    const first = nodes.slice(0, 3).map(({ target }) => target);
    return `${id}: ${first.join(" | ")}`;
  });
}

/** The facts that decide contrast, for every element. */
const face = `[...document.body.querySelectorAll("*")].map((one) => {
  const { color, backgroundColor, backgroundImage, fill, stroke, opacity, fontWeight } = getComputedStyle(one);
  return [one.tagName, color, backgroundColor, backgroundImage, fill, stroke, opacity, fontWeight].join(" ");
}).join("\\n")`;

describe.each(["mixed", "lab"])("%s results", (name) => {
  let page: Page;
  beforeAll(async () => {
    page = await (await browser.newContext()).newPage();
    await page.goto(pages[name] ?? "");
    // So that axe sees folded parts.
    await unfold(page);
  });
  afterAll(() => page?.context().close());

  if (name === "lab") {
    it("pass axe, and fit", async () => {
      await dress(page, 390, "light");
      expect(await found(page, "all")).toEqual([]);
      expect(await overflow(page)).toBeLessThanOrEqual(0);
    });
    return;
  }

  it.each(widths)("have names, roles and order that pass axe, at %s px", async (width) => {
    await dress(page, width, "light");
    expect(await found(page, "all but contrast")).toEqual([]);
  });

  // Checking contrast takes seconds, and no width changes a colour. Parts shown at one width only are checked there.
  const shown: Readonly<Record<number, string>> = { 390: "figure", 820: "html", 1440: "thead" };
  it.each(looks)("have readable words, and fit, %s", async (look) => {
    const faces: string[] = [];
    for (const width of widths) {
      await dress(page, width, look);
      expect(look === "print" ? 0 : await overflow(page)).toBeLessThanOrEqual(0);
      faces.push(await page.evaluate<string>(face));
      if (width === 820 || look === "light") expect(await found(page, "contrast", shown[width])).toEqual([]);
    }
    expect(faces[0]?.length).toBeGreaterThan(10_000);
    expect(new Set(faces).size).toBe(1);
  });
});
