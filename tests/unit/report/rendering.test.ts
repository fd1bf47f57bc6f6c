/**
 * HTML, Markdown and CSV show all contents of results as text. Proves the texts; `tests/browser/` proves that a
 * real browser agrees.
 */
import { createHash } from "node:crypto";
import fc from "fast-check";
import { describe, expect, it } from "vitest";
import type { Results } from "../../../bench/results/index.ts";
import { makeReport, toChoosePage, toCsv, toHtml, toMarkdown } from "../../../report/index.ts";
import { briefResults } from "../../fixtures/results/brief.ts";
import { handMadeResults } from "../../fixtures/results/hand-made.ts";
import { anyText } from "../../helpers/any-text.ts";
import { reportOf } from "../../helpers/report-of.ts";
import { samples } from "../../helpers/samples.ts";

const madeAt = "2026-11-21T09:00:00Z";
const whole = handMadeResults();
const report = (results: Results) => reportOf(results, { madeAt });
/** Drawn once: a page with all pictures takes long. */
const html = toHtml(report(whole));

/** A small comparison in which every text from results is the given one. */
function hostile(text: string): Results {
  const topologies = whole.topologies.slice(0, 2).map((one, index) => ({
    ...one,
    name: index === 0 ? text : `${text}2`,
    path: { ...one.path, message: text, status: "mismatch" as const, sourceIps: [text] },
    hosts: one.hosts.map((host) => ({
      ...host,
      host: text,
      kernel: text,
      os: text,
      notes: [text],
      tools: { [text]: text },
    })),
  }));
  const cases = whole.cases
    .filter(
      ({ id, topology }) =>
        /^(tcp-egress|udp-egress-1G|tcp-rtt)$/.test(id) && /direct|gateway/.test(topology),
    )
    .map((one) => ({
      ...one,
      // All seconds are drawn alike; three take a tenth of the time.
      measurement: one.measurement && { ...one.measurement, series: one.measurement.series.slice(0, 3) },
      hosts: one.hosts.slice(0, 1),
      topology: one.topology === "direct" ? text : `${text}2`,
      command: text,
      toolVersion: text,
    }));
  const [first, ...rest] = cases;
  const failed = first && {
    ...first,
    status: "failed" as const,
    measurement: null,
    failure: { class: "tool-error" as const, message: text, stderrTail: text },
  };
  return {
    ...whole,
    stack: text,
    runId: text,
    notes: [text],
    topologies,
    cases: failed ? [failed, ...rest] : [],
  };
}

const nasty = fc.oneof(
  fc.constantFrom(
    "<script>alert(1)</script>",
    '"><img src=x onerror=alert(1)>',
    "</title></svg></style></script><b>",
    "' onload='x",
    "javascript:alert(1)",
    "=cmd|'/c calc'!A0",
    "a|b\n| c |\n\n# heading",
    "[x](https://example.com) ![y](https://example.com/y.png)",
    "https://example.com www.example.com @someone #12",
    '<path fill="#f0e200" ecmeta_series_index="0" ecmeta_data_index="0">',
    "$& $1 $$ `x` <!-- --> ]]>",
    "\u0000\u001b[31mred\u202eevil\ud800",
  ),
  anyText({ minLength: 1, maxLength: 40 }),
);
const voidTags = new Set(["meta", "link", "input", "br"]);

/** The page without its own style sheet and script. */
function markupOf(html: string): string {
  return html
    .replace(/<(style|script)( type="application\/json" id="data")?>[\s\S]*?<\/\1>/g, "")
    .replace(/^<!doctype html>/, "");
}

/** Names of a page's tags and attributes, and unclosed tags. */
function tagsOf(html: string): { names: Set<string>; open: string[] } {
  const names = new Set<string>();
  const open: string[] = [];
  const tags = markupOf(html).matchAll(/<(\/?)([a-zA-Z!][\w-]*)((?:[^<>"']|"[^"]*"|'[^']*')*?)(\/?)>/g);
  for (const [, close, name = "", attributes = "", selfClosed] of tags) {
    names.add(name);
    for (const attribute of attributes.replace(/"[^"]*"|'[^']*'/g, "").split(/[\s=]+/)) {
      names.add(`@${attribute}`);
    }
    if (close) {
      expect(open.pop()).toBe(name);
    } else if (!selfClosed && !voidTags.has(name)) {
      open.push(name);
    }
  }
  return { names, open };
}

describe("toHtml", () => {
  it("lets no text of the results become markup", { timeout: 60_000 }, () => {
    const tame = tagsOf(toHtml(report(hostile("tame `words`")))).names; // a sentence shows them as code
    fc.assert(
      // Several at a time: a page takes long to draw.
      fc.property(fc.array(nasty, { minLength: 8, maxLength: 12 }), (texts) => {
        const html = toHtml(report(hostile(texts.join(""))));
        const { names, open } = tagsOf(html);
        expect(open).toEqual([]);
        expect([...names].filter((name) => !tame.has(name))).toEqual([]);
      }),
      { numRuns: samples(3), endOnFailure: true },
    );
  });

  it("allows exactly its own style sheet and script, and loads nothing", () => {
    const policy = /Content-Security-Policy" content="([^"]*)"/.exec(html)?.[1] ?? "";
    const hashes = (tag: string) =>
      [...html.matchAll(new RegExp(`<${tag}>([\\s\\S]*?)</${tag}>`, "g"))]
        .map(([, text = ""]) => `'sha256-${createHash("sha256").update(text).digest("base64")}'`)
        .join(" ");
    expect(policy).toContain("default-src 'none'");
    expect(policy).toContain(`style-src ${hashes("style")};`);
    expect(policy).toContain(`script-src ${hashes("script")};`);
    expect(html).not.toMatch(/ style="/);
    expect(html).not.toMatch(/(src|href)="(?!data:,|#)/);
    expect(html).not.toMatch(/url\((?!#)/);
    expect(markupOf(html)).not.toContain("#f0e");
  });

  it("has unique ids, and every reference to one has its target", () => {
    const ids = [...html.matchAll(/ id="([^"]+)"/g)].map(([, id]) => id);
    expect(new Set(ids).size).toBe(ids.length);
    for (const [, id] of html.matchAll(/url\(#([^)]+)\)/g)) {
      expect(ids).toContain(id);
    }
  });

  it("hides a topology's whole rows or columns, and never a cell that would shift its neighbours", () => {
    const tables = [...html.matchAll(/<table[^>]*>([\s\S]*?)<\/table>/g)].map(([, text = ""]) => text);
    const owners = (row: string) =>
      [...row.matchAll(/<t[hd][^>]*?(?: data-column="(\d+)")?>/g)].map(([, owner = null]) => owner);
    for (const text of tables) {
      const rows = [...text.matchAll(/<tr[^>]*>([\s\S]*?)<\/tr>/g)].map(([, row = ""]) => owners(row));
      expect(
        rows.every((row) => String(row) === String(rows[0])),
        text.slice(0, 300),
      ).toBe(true);
    }
    expect(tables.length).toBeGreaterThan(10);
  });

  it("keeps a busy CPU's line off the frame", () => {
    const busy = /<figure id="chart-series-0">[\s\S]*?<\/figure>/.exec(html)?.[0] ?? "";
    expect(busy).toContain(">100</text>");
    expect(busy).not.toContain(">110</text>");
  });

  it("shows pictures of throughput, latency, loss, streams, seconds and cost, each with title and figures", () => {
    for (const id of ["throughput", "latency-18", "loss", "streams-egress", "series-0", "cost-azure"]) {
      const figure = new RegExp(`<figure id="chart-${id}">[\\s\\S]*?</figure>`).exec(html)?.[0] ?? "";
      expect(figure, id).toMatch(/<svg [^>]*role="img" aria-labelledby="[^"]+"><title/);
      expect(figure, id).toContain("<table");
    }
  });

  it("shows whiskers only for repetitions", () => {
    const both = [...whole.cases, ...handMadeResults({}, 2).cases];
    const twice = { ...whole, cases: both.filter(({ id }) => id === "tcp-egress") };
    expect(html).toContain("no confidence whiskers");
    expect(toHtml(report(twice))).toContain("Whiskers span the 95 % confidence interval");
  });

  it("says that there is nothing to show if nothing is usable", () => {
    const empty = makeReport({ inputs: [], problems: ["a.json: the file is empty"] }, { madeAt });
    expect(toHtml(empty)).toContain("nothing to show");
    expect(toHtml(empty)).toContain("a.json: the file is empty");
    expect(toMarkdown(empty)).toContain("nothing to show");
  });
});

describe("toMarkdown", () => {
  const cellsOf = (line: string) => line.split("|").length;

  it("keeps every table intact and lets no text become markup", () => {
    fc.assert(
      fc.property(nasty, (text) => {
        const markdown = toMarkdown(report(hostile(text)));
        const lines = markdown.split("\n");
        lines.forEach((line, index) => {
          if (line.startsWith("|") && lines[index - 1]?.startsWith("|")) {
            expect(cellsOf(line)).toBe(cellsOf(lines[index - 1] ?? ""));
          }
        });
        expect(markdown.replace(/<\/?(br|details|summary)>/g, "")).not.toMatch(
          /<\w|\]\(|!\[|@\w|https?:\/\/|www\.\w/,
        );
      }),
      { numRuns: samples(60) },
    );
  });

  it("starts with the answer", () => {
    expect(toMarkdown(report(whole)).split("\n")[4]).toMatch(/^\*\*Azure: take a NAT instance \(/);
  });

  it("has the page's sections in the page's order", () => {
    const onPage = [...html.matchAll(/<h2>(.*?)<\/h2>/g)].map(([, heading]) => heading);
    const inText = [...toMarkdown(report(whole)).matchAll(/^## (.*)$/gm)].map(([, heading]) => heading);
    expect(inText).toEqual(onPage);
  });
});

describe("toCsv", () => {
  it("has as many fields in every record as in its header, and starts none with a formula", () => {
    fc.assert(
      fc.property(nasty, (text) => {
        const records = parseCsv(toCsv(report(hostile(text))));
        const [head = []] = records;
        for (const record of records) {
          expect(record).toHaveLength(head.length);
          for (const field of record) {
            expect(field).not.toMatch(/^\s*[=+@\t\r]|^\s*-(?!\d)/);
          }
        }
      }),
      { numRuns: samples(60) },
    );
  });

  it("leaves a field empty if nothing was measured", () => {
    const records = parseCsv(toCsv(report(whole)));
    const [head = []] = records;
    const failed = records.find((record) => record[head.indexOf("failure")] === "timeout");
    expect(failed?.[head.indexOf("value")]).toBe("");
    expect(failed?.[head.indexOf("n")]).toBe("0");
  });
});

describe("a time", () => {
  const made = { madeAt: "2026-11-21T09:00:00.123Z" };
  const startedAt = "2026-11-20T08:00:00.456Z";
  const results = { ...briefResults("tcp-egress"), startedAt, finishedAt: startedAt };
  const read = reportOf(results, made);

  it.each([
    ["page", toHtml(read)],
    ["Markdown", toMarkdown(read)],
    ["page of choices", toChoosePage(made)],
  ])("is in words, without milliseconds: %s", (_, text) => {
    const shown = text.replace(/<(script|style)[^>]*>.*?<\/\1>/gs, "");
    expect(shown).toContain("Made 2026-11-21 09:00:00 UTC by egress-bench");
    expect(shown).not.toMatch(/\d{4}-\d\d-\d\dT\d\d|:\d\d\.\d{3}/);
  });
});

/** RFC 4180. */
function parseCsv(text: string): string[][] {
  const records: string[][] = [[]];
  const pattern = /("(?:[^"]|"")*"|[^",\r\n]*)(,|\r\n)/gy;
  for (const [, field = "", end] of text.matchAll(pattern)) {
    records.at(-1)?.push(field.startsWith('"') ? field.slice(1, -1).replaceAll('""', '"') : field);
    if (end === "\r\n") {
      records.push([]);
    }
  }
  expect(records.pop()).toEqual([]);
  return records;
}

it("says nothing of what was not measured beside the pick, after the lab", () => {
  const text = toMarkdown(report({ ...whole, cloud: "local", stack: "local-compare" }));
  const rows = text.split("\n").filter((line) => /^\| nat-instance \(/.test(line));
  expect(rows.map((row) => row.split(" | ")[1])).toEqual(["pick", "pick"]);
  expect(rows.join()).not.toContain("not measured");
});

it("keeps a command's options whole, names no version if there is none, and marks long cells for a phone", () => {
  const command = "python3 agent.py connect --interval-ms 10";
  const cases = whole.cases.slice(0, 1).map((one) => ({ ...one, command, toolVersion: null }));
  const page = toHtml(report({ ...whole, cases }));
  expect(page).toContain("connect <span>--interval-ms</span> 10 [iperf3]</pre>");
  expect(page).toMatch(/<td class="ok long" data-head="How">/);
});
