/** `--nat-term`: NAT machines at a list's reserved, savings-plan and spot prices, with their assumptions beside the figure. */
import { mkdirSync, readFileSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { describe, expect, it } from "vitest";
import { type Term, terms } from "../../../report/cost/prices.ts";
import { briefResults } from "../../fixtures/results/brief.ts";
import { azureLog } from "../../helpers/flow-logs.ts";
import { ran } from "../../helpers/ran.ts";
import { directoryOfEachTest } from "../../helpers/temporary.ts";

const at = directoryOfEachTest((made) => mkdirSync(join(made, "out")));

const size = "Standard_B2ats_v2";
/** The term's hourly price. */
const anHour: Readonly<Record<Term, number>> = {
  ...{ "reserved-1y": 0.005, "reserved-3y": 0.004, "savings-1y": 0.006, "savings-3y": 0.0045, spot: 0.002 },
};
const price = { meter: `vm-hour:${size}`, region: "eastus", source: "our reservation", checked: null };
const list = {
  ...{ cloud: "azure", origin: "file", asOf: "2026-11-01", note: "Ours." },
  prices: [
    { ...price, tiers: [{ from: 0, price: 7 }], source: "never on demand here" },
    ...terms.map((term) => ({ ...price, term, tiers: [{ from: 0, price: anHour[term] }] })),
  ],
};
const log = azureLog({
  "00224871C205": ["1790000000000,10.0.0.1,192.0.2.1,40000,443,6,O,E,NX,1000,6000000,1000,100"],
});

/** One case: prices do not depend on the others, and each adds several pictures. */
const results = briefResults("tcp-egress");

async function run(command: "report" | "advise" | "choose", ...args: string[]) {
  writeFileSync(at("list.json"), JSON.stringify(list));
  writeFileSync(at("results.json"), JSON.stringify(results));
  writeFileSync(at("a.log"), log);
  const first = { report: ["results.json"], advise: ["a.log"], choose: [] }[command];
  const region = command === "choose" ? [] : ["--region", "eastus"];
  return await ran(command, [...first, ...region, ...args], at());
}

const words = {
  "reserved-1y": ["reserved for 1 year", "is paid for all hours of its term, running or not"],
  "reserved-3y": ["reserved for 3 years", "is paid for all hours of its term, running or not"],
  "savings-1y": ["1-year savings plan", "is paid for all hours of its term, running or not"],
  "savings-3y": ["3-year savings plan", "is paid for all hours of its term, running or not"],
  spot: ["spot", "the cloud can take the machine away"],
} as const;

describe.each(terms)("--nat-term %s", (term) => {
  const [short, assumed] = words[term];

  it("prices the NAT instance by it in a report, with the term beside the figure and its assumption", async () => {
    const options = ["--prices", "list.json", "--nat-size", size, "--gb-in", "0", "--gb-out", "0"];
    const { status, stdout } = await run("report", ...options, "--nat-term", term);
    expect(status).toBe(0);
    // 730 hours of machine and address, and its disk of 2.40.
    const total = (730 * (anHour[term] + 0.005) + 2.4).toFixed(2);
    expect(stdout).toContain(`NAT instance (${size}, ${short}), ${total} USD a month`);
    expect(readFileSync(at("out", "report.md"), "utf8")).toContain(assumed);
    expect(stdout.includes("The cloud can take a spot machine away at any time.")).toBe(term === "spot");
  });
});

describe("--nat-term", () => {
  it.each(["reserved-3y", "spot"] as const)(
    "%s prices it in advice and on the page of choose",
    async (term) => {
      const [short, assumed] = words[term];
      expect((await run("advise", "--prices", "list.json", "--nat-term", term)).status).toBe(0);
      const { options, pricesFrom } = JSON.parse(readFileSync(at("out", "advice.json"), "utf8"));
      const instance = options.find(({ id }: { id: string }) => id === "nat-instance");
      const charge = instance.bill.charges.find(
        ({ meter }: { meter: string }) => meter === `vm-hour:${size}`,
      );
      expect(charge.cost).toBeCloseTo(730 * anHour[term], 9);
      expect(pricesFrom).toContain(assumed);
      expect((await run("choose", "--prices", "list.json", "--nat-term", term)).status).toBe(0);
      const page = readFileSync(at("out", "choose.html"), "utf8");
      expect(page).toContain(`(${size}, ${short})`);
      expect(page).toContain(assumed);
    },
  );

  it("keeps on-demand prices without a term", async () => {
    await run("report", "--prices", "list.json", "--nat-size", size);
    expect(readFileSync(at("out", "report.html"), "utf8")).toContain("never on demand here");
  });

  it.each([
    [
      "a word that is no term",
      ["--prices", "list.json", "--nat-term", "ri"],
      'expected reserved-1y or .*got "ri"',
    ],
    ["a term that no list has", ["--nat-term", "spot"], 'no price of a machine with "term": "spot" is known'],
  ])("refuses %s", async (_, args, message) => {
    for (const command of ["report", "advise", "choose"] as const) {
      const { status, stderr } = await run(command, ...args);
      expect(stderr).toMatch(new RegExp(message));
      expect(status).toBe(2);
    }
  });
});
