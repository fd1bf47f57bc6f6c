/** The library of results: what a contribution keeps and leaves out, and that the committed files are valid. */
import { globSync, mkdirSync, mkdtempSync, readFileSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { describe, expect, it } from "vitest";
import { presets } from "../../../bench/index.ts";
import { readLibrary } from "../../../cli/report/inputs.ts";
import { contributionOf, contributionSchema, makeReport, toHtml, toMarkdown } from "../../../report/index.ts";
import { handMadeResults } from "../../fixtures/results/hand-made.ts";
import { ran } from "../../helpers/ran.ts";
import { temporaryDirectory } from "../../helpers/temporary.ts";

const directory = temporaryDirectory();
const root = new URL("../../../", import.meta.url).pathname;

const secret = "top-secret.internal.example.com";
/** Results in which every identifying text is marked. */
function telling() {
  const results = handMadeResults();
  const host = (facts: (typeof results.topologies)[number]["hosts"][number]) => ({
    ...facts,
    host: secret,
    kernel: `6.8.0 built by ${secret} at 203.0.113.77`,
    notes: [secret],
    interfaces: facts.interfaces.map((one) => ({ ...one, name: secret })),
    sysctls: { [secret]: secret },
    tools: { [secret]: secret },
    region: "eastus",
  });
  return {
    ...results,
    ...{ stack: secret, runId: secret, notes: [secret] },
    plan: { ...results.plan, name: secret },
    server: results.server && host(results.server),
    topologies: results.topologies.map((one) => ({
      ...one,
      name: `${secret} ${one.name}`,
      hosts: one.hosts.map(host),
      path: { ...one.path, message: secret },
    })),
    cases: results.cases.map((one) => ({
      ...one,
      ...{
        topology: `${secret} ${one.topology}`,
        command: secret,
        rawFile: secret,
        sourceIp: "203.0.113.77",
      },
    })),
  };
}

describe("a contribution", () => {
  const made = contributionOf(telling(), Object.keys(presets));
  const text = JSON.stringify(made);

  it("keeps conditions and figures", () => {
    expect(made).toMatchObject({
      network: true,
      cloud: "azure",
      region: "eastus",
      month: "2026-11",
      plan: null,
    });
    const gateway = made?.topologies.find(({ topology }) => topology === "nat-gateway");
    expect(gateway?.client).toMatchObject({ cpus: 8, os: "Ubuntu 24.04.3 LTS" });
    expect(gateway?.figures).toContainEqual({
      ...{ case: "TCP egress", metric: "throughput", unit: "bit/s", value: 10.7e9 },
      ...{ low95: null, high95: null, n: 1 },
    });
  });

  it("has no name, address, command or message of its owner", () => {
    expect(text).not.toContain("secret");
    expect(text).not.toMatch(/\d+\.\d+\.\d+\.\d+/);
    expect(text).not.toContain("iperf3");
  });

  it("of the lab is marked as the lab's, and is missing without measurements", () => {
    expect(contributionOf(handMadeResults({ cloud: "local" }), [])?.network).toBe(false);
    expect(contributionOf(handMadeResults({ cases: [] }), [])).toBeNull();
  });
});

describe("npm run contribute", () => {
  const run = async (...args: string[]) => {
    const { status, stdout, stderr } = await ran("contribute", args, directory);
    return { status, said: stdout + stderr };
  };

  it("writes one file a run, of one name however often", async () => {
    writeFileSync(join(directory, "mine.json"), JSON.stringify(telling()));
    const { status, said } = await run("mine.json");
    expect(status).toBe(0);
    expect(said).toMatch(
      /^mine.json: \d+ figures of direct, .*: results\/azure\/2026-11-eastus-[0-9a-f]{8}.json\n$/,
    );
    expect((await run("mine.json")).said).toBe(said);
    const files = globSync("results/**/*.json", { cwd: directory });
    expect(files).toHaveLength(1);
    expect(
      contributionSchema.safeParse(JSON.parse(readFileSync(join(directory, files[0] ?? ""), "utf8"))).error,
    ).toBeUndefined();
  });

  it("refuses an invalid version in one sentence, and accepts the other files", async () => {
    const bad = { ...telling(), runId: "bad", egressBenchVersion: "1.0\n203.0.113.77" };
    writeFileSync(join(directory, "bad.json"), JSON.stringify(bad));
    const { status, said } = await run("bad.json", "mine.json");
    expect(status).toBe(1);
    expect(said.split("\n")).toEqual([
      expect.stringMatching(/^mine.json: \d+ figures/),
      expect.stringMatching(
        /^egress-bench contribute: bad.json: egressBenchVersion: expected a version or name/,
      ),
      "",
    ]);
  });

  it.each([
    [["--what"], 2, "--what"],
    [["nofile.json"], 1, "no usable results"],
  ])("%j exits %s", async (args, status, message) => {
    const found = await run(...args);
    expect(found.status).toBe(status);
    expect(found.said).toContain(message);
  });
});

describe("the library that is there", () => {
  const library = readLibrary();

  it("is valid, and in its cloud's directory", () => {
    for (const name of globSync("results/*/*.json", { cwd: root })) {
      const { data, error } = contributionSchema.safeParse(
        JSON.parse(readFileSync(`${root}${name}`, "utf8")),
      );
      expect(error, name).toBeUndefined();
      const place = data?.cloud === "local" ? "lab" : data?.cloud;
      expect(name).toMatch(new RegExp(`^results/${place}/`));
      expect(data?.network).toBe(data?.cloud !== "local");
    }
  });

  it("starts with published figures and the lab's", () => {
    expect(JSON.parse(readFileSync(`${root}results/published.json`, "utf8")).results.length).toBeGreaterThan(
      3,
    );
    expect(library.some(({ cloud }) => cloud === "local")).toBe(true);
  });

  it("is shown beside the reader's figures, and names what nobody contributed", () => {
    const own = contributionOf(handMadeResults(), []);
    const read = { inputs: [{ source: "a.json", results: handMadeResults() }], problems: [] };
    const report = makeReport(read, { madeAt: "2026-11-22T09:00:00Z", library: own === null ? [] : [own] });
    for (const text of [toHtml(report), toMarkdown(report)]) {
      expect(text).toContain("AWS: no runs yet");
      expect(text).toContain("Azure: 1 run.");
    }
    const row = report.library?.rows.find(
      ({ label, heading }) => label === "nat-gateway" && heading === "TCP egress",
    );
    expect(row).toMatchObject({ yours: "10.7 Gbit/s", theirs: "10.7 Gbit/s" });
  });
});

it.each([
  ["", "Unexpected end of JSON input"],
  ["{}", "schemaVersion: "],
])("a file %j in it is named", (text, reason) => {
  const library = mkdtempSync(join(directory, "library-"));
  mkdirSync(`${library}/azure`);
  writeFileSync(`${library}/azure/empty.json`, text);
  expect(() => readLibrary(`${library}/`)).toThrow(`results/azure/empty.json: ${reason}`);
});
