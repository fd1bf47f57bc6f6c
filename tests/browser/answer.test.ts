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
import { fixture, silentReport } from "../unit/bench/fixture.ts";
import { launchBrowser, openPage, overflow } from "./chromium.ts";

const directory = mkdtempSync(join(tmpdir(), "egress-bench-answer-"));
const widths = [390, 820, 1440];
const pages: Record<string, string> = {};
let browser: Browser;

/** Few cases of few seconds: axe looks at each mark of each picture. */
function few(results: Results): Results {
  const wanted = /^(tcp-egress|tcp-egress-p8|udp-egress-1G|udp-egress-p10-5M|tcp-rtt|nat-limits)$/;
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
  const failed = caseResult({ topology: "nat-instance", case: kill, command: "", report });
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
  make("mixed", [few(richResults()), few(handMadeResults({ cloud: "aws", stack: "aws-compare" }))]);
  make("lab", [withFailover(few(handMadeResults({ cloud: "local", stack: "local-compare" })))]);
  browser = await launchBrowser();
});

afterAll(async () => {
  await browser?.close();
  rmSync(directory, { recursive: true, force: true });
});

const sentence = (page: Page) => page.locator("#answer-azure .sentence").textContent();

describe("the inputs", () => {
  it("move sentence, ways out, sizes and cost, without asking the network", async () => {
    const { page, said, asked } = await openPage(browser, pages.plain ?? "");
    expect(await sentence(page)).toMatch(/^Pick nat-instance/);
    await page.getByLabel("Peak, both ways").fill("5");
    expect(await sentence(page)).toMatch(
      /^Pick nat-gateway: it carried 9.61 Gbit\/s of TCP, more than your peak of 5.00/,
    );
    await page.getByLabel("Connections to one destination").fill("200000");
    expect(await page.locator("#sizing-azure").textContent()).toContain(
      "200,000 ports / 50,000 an address, rounded up: 4",
    );
    await page.getByRole("textbox", { name: "Received" }).fill("40000");
    expect(await page.locator("#bill-azure").textContent()).toContain("yours: 40,200 GB");
    expect(new URL(page.url()).hash).toBe("#gb-in=40000&peak-gbit=5&connections=200000");
    expect(said).toEqual([]);
    expect(asked).toHaveLength(1);
    await page.close();
  });

  it("are as the page's address says, and stay when a link of the contents is followed", async () => {
    const { page } = await openPage(browser, `${pages.plain}#peak-gbit=5&no-single-point=yes`);
    expect(await page.getByLabel("Peak, both ways").inputValue()).toBe("5");
    expect(await page.getByLabel("Needs no single point").isChecked()).toBe(true);
    expect(await sentence(page)).toMatch(/^Pick nat-gateway/);
    await page.getByRole("link", { name: "All cases" }).click();
    expect(new URL(page.url()).hash).toBe("#peak-gbit=5&no-single-point=yes");
    await page.close();
  });

  it("say what they do not understand, and leave the answer", async () => {
    const { page } = await openPage(browser, pages.plain ?? "");
    const before = await sentence(page);
    await page.getByRole("textbox", { name: "Received" }).fill("lots");
    expect(await page.locator("#needs-problem").textContent()).toContain("Received: expected a number");
    expect(await sentence(page)).toBe(before);
    await page.close();
  });

  it("are not shown without script, where the answer is", async () => {
    const { page } = await openPage(browser, pages.plain ?? "", { javaScriptEnabled: false });
    expect(await page.locator("#needs").isVisible()).toBe(false);
    expect(await sentence(page)).toMatch(/^Pick nat-instance/);
    await page.close();
  });
});

it("hides the rows of a topology in tables that name it once a row, and moves none of their cells", async () => {
  const { page } = await openPage(browser, pages.plain ?? "");
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
  await page.close();
});

it.each(widths)("cuts no label of any picture at %s px", async (width) => {
  const { page } = await openPage(browser, pages.plain ?? "", { viewport: { width, height: 1000 } });
  const cut = await page.evaluate<
    string[]
  >(`[...document.querySelectorAll("svg[role=img]")].flatMap((svg) => {
    const frame = svg.getBoundingClientRect();
    return [...svg.querySelectorAll("text")].filter((text) => {
      const box = text.getBoundingClientRect();
      return box.width > 0 && (box.left < frame.left - 1 || box.right > frame.right + 1 || box.top < frame.top - 1 || box.bottom > frame.bottom + 1);
    }).map((text) => svg.querySelector("title").textContent + ": " + text.textContent);
  })`);
  expect(cut).toEqual([]);
  await page.close();
});

/** Opens everything that is folded, so that axe sees it. */
const unfold = (page: Page) =>
  page.evaluate("for (const one of document.querySelectorAll('details')) one.open = true");

const looks = ["light", "dark", "print"] as const;
type Look = (typeof looks)[number];

/** Every look at one width, and one look at every width: axe takes seconds for each. Colours do not depend on the width. */
const seen = widths.flatMap((width) =>
  looks.filter((look) => look === "light" || width === 820).map((look) => [width, look] as const),
);

/** What decides contrast, of every element. */
const face = `[...document.body.querySelectorAll("*")].map((one) => {
  const { color, backgroundColor, backgroundImage, fill, stroke, opacity, fontWeight } = getComputedStyle(one);
  return [one.tagName, color, backgroundColor, backgroundImage, fill, stroke, opacity, fontWeight].join(" ");
}).join("\\n")`;

describe.each(["mixed", "lab"])("%s results", (name) => {
  let page: Page;
  beforeAll(async () => {
    page = await (await browser.newContext()).newPage();
    await page.goto(pages[name] ?? "");
    await unfold(page);
  });
  afterAll(() => page?.context().close());

  const dress = async (width: number, look: Look) => {
    await page.setViewportSize({ width, height: 1000 });
    await page.emulateMedia({
      media: look === "print" ? "print" : "screen",
      colorScheme: look === "dark" ? "dark" : "light",
    });
  };

  // The lab's page differs in words: one look of it.
  it.each(name === "lab" ? seen.slice(0, 1) : seen)(
    "have nothing for axe to find, and fit, at %s px, %s",
    async (width, look) => {
      await dress(width, look);
      // Else it describes each of the thousands of marks that are well.
      const { violations } = await new AxeBuilder({ page })
        .options({ resultTypes: ["violations"] })
        .analyze();
      const found = violations.map(
        ({ id, nodes }) =>
          `${id}: ${nodes
            .slice(0, 3)
            .map(({ target }) => target)
            .join(" | ")}`,
      );
      expect(found).toEqual([]);
      expect(look === "print" ? 0 : await overflow(page)).toBeLessThanOrEqual(0);
    },
  );

  it.each(name === "lab" ? [] : (["dark", "print"] as const))(
    "fit, with the same colours at each width, %s",
    async (look) => {
      const faces: string[] = [];
      for (const width of widths) {
        await dress(width, look);
        expect(look === "print" ? 0 : await overflow(page)).toBeLessThanOrEqual(0);
        faces.push(await page.evaluate<string>(face));
      }
      expect(faces[0]?.length).toBeGreaterThan(10_000);
      expect(new Set(faces).size).toBe(1);
    },
  );
});
