/** `npm run report`: files, messages, exit statuses. As a process, and with stacks: `tests/engine/cli/`. */
import { existsSync, mkdirSync, readFileSync } from "node:fs";
import { describe, expect, it } from "vitest";
import { briefResults } from "../../fixtures/results/brief.ts";
import { reportCommand } from "../../helpers/report-command.ts";

const once = briefResults("tcp-egress", "tcp-rtt");
/** Measured five times, with 1 % of scatter of the rates. */
const few = {
  ...once,
  cases: [0.99, 0.995, 1, 1.005, 1.01].flatMap((share, day) =>
    once.cases.map(({ measurement, ...one }) => ({
      ...one,
      startedAt: `2026-11-0${day + 1}${one.startedAt?.slice(10)}`,
      measurement: measurement && {
        ...measurement,
        bitsPerSecond: measurement.bitsPerSecond && measurement.bitsPerSecond * share,
      },
    })),
  ),
};
const slower = {
  ...few,
  runId: "2",
  cases: few.cases.map((one) =>
    one.topology === "direct" && one.measurement?.bitsPerSecond
      ? { ...one, measurement: { ...one.measurement, bitsPerSecond: one.measurement.bitsPerSecond * 0.8 } }
      : one,
  ),
};
const { file, path, run } = reportCommand();

describe("npm run report", () => {
  it("uses a reader's price list before the shipped one, and names the prices' source", async () => {
    file("out/a.json", few);
    const price = { meter: "nat-gateway-hour", region: "eastus", source: "our contract", checked: null };
    const own = { cloud: "azure", origin: "snapshot", asOf: "2026-11-01", note: "Ours." };
    file("mine.json", { ...own, prices: [{ ...price, tiers: [{ from: 0, price: 0.03 }] }] });
    const { status, stdout } = await run(
      ..."--gb-in 1000 --gb-out 0 --prices mine.json --no-single-point".split(" "),
    );
    expect(status).toBe(0);
    // 730 x 0.03 in place of 730 x 0.045; data and address as shipped.
    expect(stdout).toContain("Without any machine: NAT gateway, 70.55 USD\n");
    expect(readFileSync(path("out/report.md"), "utf8")).toContain(
      "your own list of 2026-11-01, with its gaps filled from the shipped snapshot. Ours.",
    );
  });

  it.each([
    [
      "guessed",
      "guessed cannot be read as JSON: no such file or directory; expected the file of a price list, or a word",
    ],
    ["out/a.json", "expected a price list"],
  ])("refuses --prices %s", async (name, message) => {
    file("out/a.json", few);
    const { status, stderr } = await run("--prices", name);
    expect(status).toBe(2);
    expect(stderr).toContain(message);
  });

  it.each([
    [{ prices: [{ meter: "nat-gatway-gb" }] }, "prices[0].meter"],
    [{ prices: [], discounts: [{ meter: "egrees-gb", percent: 10, for: "EDP" }] }, "discounts[0].meter"],
  ])("refuses a price that no charge uses: %j", async ({ prices, ...rest }, message) => {
    file("out/a.json", few);
    const price = { region: null, tiers: [{ from: 0, price: 1 }], source: "ours", checked: null };
    const own = { cloud: "aws", origin: "file", asOf: "2026-11-01", note: "Ours." };
    file("mine.json", { ...own, ...rest, prices: prices.map((one) => ({ ...price, ...one })) });
    const { status, stderr } = await run("--prices", "mine.json");
    expect(status).toBe(2);
    expect(stderr).toContain(message);
    expect(stderr).toContain("nat-gateway-gb");
  });

  it("makes three files of out/*.json", async () => {
    file("out/a.json", few);
    const { status, stdout, stderr } = await run("--gb-in", "1000", "--gb-out", "0");
    expect({ status, stderr }).toEqual({ status: 0, stderr: "" });
    expect(stdout).toMatch(
      /^Azure: take a NAT instance \(Standard_B2ats_v2\), 12\.91 USD a month \(4\.20 Gbit\/s published, sustains 840 Mbit\/s, you need 3\.04\)\. Risk: one machine\. Without any machine: NAT gateway, 81\.50 USD\n4\.20 Gbit\/s published .*\.\nIt saves 68\.59 USD a month against nat-gateway .*\.\nPublished .*\.\nIt is one machine: .*\.\nRunner-up: (?:.*\n)+Report: out\/report.html, out\/report.md, out\/report.csv\n$/,
    );
    expect(readFileSync(path("out/report.md"), "utf8")).toContain("| nat-gateway | 32.85 | 45.00 |");
    expect(readFileSync(path("out/report.html"), "utf8")).toContain("<!doctype html>");
    expect(readFileSync(path("out/report.csv"), "utf8")).toMatch(/^stack,cloud,run,/);
  });

  it("of a directory reads the whole results of all jobs below it, and no partial ones or exports", async () => {
    for (const name of ["shard-1", "shard-2/exports"]) mkdirSync(path(`shards/${name}`), { recursive: true });
    file("shards/shard-1/a.json", { ...few, stack: "cell-a" });
    file("shards/shard-2/b.json", { ...few, stack: "cell-b" });
    file("shards/shard-2/c.partial.json", { ...few, stack: "cell-c" });
    file("shards/shard-2/exports/d.json", { ...few, stack: "cell-d" });
    expect(await run("shards")).toMatchObject({ status: 0, stderr: "" });
    const page = readFileSync(path("out/report.md"), "utf8");
    expect(["cell-a", "cell-b", "cell-c", "cell-d"].map((cell) => page.includes(cell))).toEqual([
      ...[true, true, false, false],
    ]);
  });

  it("shows usable input and names the rest", async () => {
    file("out/a.json", few);
    file("out/b.json", JSON.stringify(few).slice(0, 900));
    file("out/c.json", { ...few, schemaVersion: 9 });
    const { status, stderr } = await run();
    expect(status).toBe(1);
    expect(stderr).toContain("out/b.json: the file is not whole JSON");
    expect(stderr).toContain("out/c.json: schemaVersion: expected 1, got 9");
    expect(readFileSync(path("out/report.md"), "utf8")).toContain("| direct<br>path proved |");
  });

  it.each([[], ["nofile.json"]])(
    "leaves the last report alone where there is nothing to report: %j",
    async (...args) => {
      file("out/report.md", "the last one");
      const { status, stderr } = await run(...args);
      expect(status).toBe(1);
      expect(stderr).toContain("no usable results, so nothing was written to out");
      expect(readFileSync(path("out/report.md"), "utf8")).toBe("the last one");
      expect(existsSync(path("out/report.html"))).toBe(false);
    },
  );

  it.each(["nat-gateway", "fck-nat", "nat-instance"])(
    "the terminal says what the page says, beside %s as the present way",
    async (now) => {
      file("out/a.json", { ...few, cloud: "aws" });
      const { stdout } = await run("--now", now);
      const said = stdout.split("\n").slice(0, -2);
      expect(said.length).toBeGreaterThan(5);
      const page = readFileSync(path("out/report.md"), "utf8");
      expect(said.filter((line) => !page.includes(line))).toEqual([]);
      // A smaller machine than the measured one costs 3.07 USD less.
      expect(said[0]).toContain(
        { "nat-gateway": ": saves ", "fck-nat": " keep the fck-nat ", "nat-instance": ": saves " }[now],
      );
    },
  );

  it.each([
    [[], ["AWS", "Azure"]],
    [["--region", "us-east-1"], ["AWS"]],
    [["--region", "westeurope"], ["Azure"]],
  ])("answers for both clouds after the lab, and with %j for %j", async (options, clouds) => {
    file("out/a.json", { ...few, cloud: "local" });
    const { status, stdout } = await run(...options);
    expect(status).toBe(0);
    const headlines = stdout.match(/^.*: take a /gm);
    expect(headlines).toEqual(clouds.map((cloud) => `${cloud}: take a `));
    const page = readFileSync(path("out/report.md"), "utf8");
    expect(page).toContain(
      "The local lab costs nothing, is not a real network, and does not count in the answer.",
    );
    expect(page.includes("eastus")).toBe(options.length === 0);
  });

  it("answers for the reader's traffic, in terminal, page and text alike", async () => {
    file("out/a.json", few);
    const { stdout } = await run(
      "--gb-in",
      "5000",
      "--peak-gbit",
      "5",
      "--no-single-point",
      "--connections",
      "200000",
    );
    const [sentence = "", why = ""] = stdout.split("\n");
    expect(sentence).toMatch(
      /^Azure: take a NAT gateway, 290\.15 USD a month \(50\.0 Gbit\/s published, you need 5\.00 Gbit\/s\)$/,
    );
    expect(why).toMatch(/^50\.0 Gbit\/s published; you need 5\.00 Gbit\/s at the peak: 10 times the need/);
    expect(readFileSync(path("out/report.html"), "utf8")).toContain(
      `<p class="sentence">${sentence.replace(" a month", " a month<span>")}</span></p>`,
    );
    expect(readFileSync(path("out/report.md"), "utf8")).toContain(`**${sentence}**`);
  });

  it("exits 3 with the rows that got worse, and 0 within the tolerance", async () => {
    file("old.json", few);
    file("out/new.json", slower);
    const worse = await run("--baseline", "old.json", "--tolerance", "5%");
    expect(worse.status).toBe(3);
    expect(worse.stdout).toContain(
      "Worse: direct tcp-egress throughput: 11.5 Gbit/s -> 9.20 Gbit/s (20.0 % worse)",
    );
    expect(worse.stdout).not.toContain("Worse: nat-gateway");
    for (const name of ["report.md", "report.html"]) {
      const text = readFileSync(path(`out/${name}`), "utf8");
      expect(text).toMatch(/figures compared, 1 worse by more than 5 %/);
      expect(text).toMatch(/9.20 Gbit\/s/);
    }
    expect(worse.stdout).toMatch(/^A change under \d+\.\d % is missed/m);
    expect((await run("--baseline", "old.json", "--tolerance", "25%")).status).toBe(0);
    const json = await run("--baseline", "old.json", "--json");
    const { gate } = JSON.parse(json.stdout);
    expect(gate.filter((row: { verdict: string }) => row.verdict === "worse")).toMatchObject([
      { topology: "direct", caseId: "tcp-egress", metric: "throughput" },
    ]);
  });

  it("names figures that seem worse in too few repetitions to tell, and does not pass", async () => {
    file("old.json", { ...few, cases: few.cases.slice(0, 3 * once.cases.length) });
    file("out/new.json", { ...slower, cases: slower.cases.slice(0, 3 * once.cases.length) });
    const { status, stdout } = await run("--baseline", "old.json");
    expect(status).toBe(4);
    expect(stdout).toMatch(/^Perhaps worse: direct tcp-egress throughput: .* \(20\.0 % worse\)$/m);
    expect(stdout).toMatch(/^To tell a change of a single figure among \d+ takes 5 on each side\.$/m);
    expect(stdout).toMatch(/^Gate: not-judged$/m);
  });

  it("does not pass what it could not judge, unless that is allowed", async () => {
    file("old.json", once);
    file("out/new.json", { ...slower, cases: slower.cases.slice(0, once.cases.length) });
    const { status, stdout } = await run("--baseline", "old.json");
    expect(status).toBe(4);
    expect(stdout).toMatch(/^\d+ of them are not judged: they need more repetitions/m);
    expect(stdout).toMatch(/^Gate: not-judged$/m);
    expect(stdout).not.toContain("Worse:");
    const allowed = await run("--baseline", "old.json", "--allow-not-judged");
    expect(allowed).toMatchObject({ status: 0, stdout: expect.stringMatching(/^Gate: not-judged$/m) });
  });

  it("writes the verdict for CI systems, with the results' contents as plain text", async () => {
    const name = "a,b\n::error::x%0A<i>";
    const renamed = ({ topologies, cases, ...rest }: typeof few) => ({
      ...rest,
      topologies: topologies.map((one) => (one.name === "direct" ? { ...one, name } : one)),
      cases: cases.map((one) => (one.topology === "direct" ? { ...one, topology: name } : one)),
    });
    file("old.json", renamed(few));
    file("out/new.json", renamed(slower));
    const { status, stdout } = await run("--baseline", "old.json", "--annotate", "--export", "bencher");
    expect(status).toBe(3);
    expect(stdout.split("\n").filter((line) => line.startsWith("::"))).toEqual([
      "::error title=egress-bench%3A worse::a,b%0A::error::x%250A<i> tcp-egress throughput: 11.5 Gbit/s -> 9.20 Gbit/s",
    ]);
    const read = (name: string) => readFileSync(path(`out/${name}`), "utf8");
    expect(read("gate.junit.xml")).toContain(
      '<testcase classname="a,b\n::error::x%0A&lt;i&gt;" name="tcp-egress throughput"><failure message="worse: 11.5 Gbit/s before, 9.20 Gbit/s now"/></testcase>',
    );
    expect(read("gate.junit.xml")).toMatch(
      /<testsuites name="egress-bench" tests="\d+" failures="1" skipped="0">/,
    );
    const [, , row] = read("gate.md").split("\n\n")[2]!.split("\n");
    expect(row).toMatch(
      /^\| worse \| .* \| tcp-egress \| throughput \| 11.5 Gbit\/s \| 9.20 Gbit\/s \| 20.0 % \|$/,
    );
    const bencher = JSON.parse(read("exports/bencher.json"))[`${name} tcp-egress`].throughput;
    expect(bencher).toMatchObject({ value: expect.closeTo(9.2e9, -3) });
    expect(bencher.lower_value).toBeLessThan(bencher.value);
  });

  it("writes the files of github-action-benchmark by better direction", async () => {
    file("out/a.json", few);
    expect((await run("--export", "benchmark-action")).status).toBe(0);
    const read = (way: string) =>
      JSON.parse(readFileSync(path(`out/exports/benchmark-action-${way}.json`), "utf8"));
    expect(read("bigger")).toContainEqual({
      name: "direct tcp-egress throughput",
      unit: "bit/s",
      value: expect.closeTo(11.5e9, -3),
      range: expect.stringMatching(/^\d+/),
      extra: "n = 5",
    });
    expect(read("smaller").map(({ name }: { name: string }) => name)).toContain("direct tcp-rtt latencyP50");
    expect((await run()).status).toBe(0); // they are no results
  });

  it("refuses results without a case, and writes nothing", async () => {
    file("out/new.json", { ...few, cases: [] });
    const { status, stderr } = await run();
    expect(status).toBe(1);
    expect(stderr).toContain("cases: expected at least one; got none that can be used; measure again");
    expect(existsSync(path("out/report.html"))).toBe(false);
  });

  it("does not pass a gate that compared nothing", async () => {
    const failure = { class: "timeout", message: "It took too long.", stderrTail: "" };
    const failed = few.cases.map((one) => ({ ...one, status: "failed", failure, measurement: null }));
    file("old.json", { ...few, cases: failed });
    file("out/new.json", few);
    const { status, stderr } = await run("--baseline", "old.json");
    expect(status).toBe(1);
    expect(stderr).toContain("nothing was compared");
  });

  it.each([
    ["--region", "eastuss", 'expected a region of Azure or AWS; got "eastuss"; did you mean eastus'],
    ["--regions", "eastus,wexteurope", 'got "wexteurope"; did you mean westeurope'],
    ["--nat-size", "t4g.bogus", 'size of Azure or AWS; got "t4g.bogus"; did you mean t4g.'],
    ["--nat-size", "t4g.mico", "did you mean t4g.micro"],
    ["--region", "mars", 'expected a region of Azure or AWS; got "mars"'],
  ])("refuses %s %s, and writes nothing", async (option, value, message) => {
    file("out/a.json", few);
    const { status, stderr } = await run(option, value);
    expect(stderr).toContain(`egress-bench report: ${option}: `);
    expect(stderr).toContain(message);
    expect({ status, html: existsSync(path("out/report.html")) }).toEqual({
      status: 2,
      html: false,
    });
  });

  it.each(["mexicocentral", "us-gov-west-1"])("takes the region %s", async (region) => {
    file("out/a.json", few);
    expect(await run("--region", region)).toMatchObject({ status: 0, stderr: "" });
  });
});
