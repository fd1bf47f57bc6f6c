/**
 * `--prices live` of `report` and `advise` against stand-ins of both clouds' price services that refuse and throttle: few concurrent
 * requests, pauses as asked for, answers kept, failures reported. Not proved: how the real services throttle.
 */
import { mkdirSync, readFileSync, writeFileSync } from "node:fs";
import type { ServerResponse } from "node:http";
import { join } from "node:path";
import { afterEach, beforeEach, describe, expect, it, vi } from "vitest";
import { briefResults } from "../../fixtures/results/brief.ts";
import { awsLog, azureLog } from "../../helpers/flow-logs.ts";
import { type Handler, priceService, reply } from "../../helpers/price-service.ts";
import { ran } from "../../helpers/ran.ts";
import { directoryOfEachTest } from "../../helpers/temporary.ts";

const service = priceService();
const results = briefResults("tcp-egress");
const at = directoryOfEachTest((made) => mkdirSync(join(made, "out")));

beforeEach(() => {
  vi.stubEnv("AWS_ACCESS_KEY_ID", "AKIDEXAMPLE");
  vi.stubEnv("AWS_SECRET_ACCESS_KEY", "wJalrXUtnFEMI/K7MDENG+bPxRfiCYEXAMPLEKEY");
});
afterEach(() => vi.unstubAllEnvs());

const clouds = {
  aws: {
    region: "ap-northeast-1",
    log: awsLog([
      { source: "10.0.0.1", destination: "192.0.2.1", bytes: 6e9, start: 1_790_000_000, end: 1_790_003_600 },
    ]),
    answer: "aws",
    /** A refused request, by a word in it. */
    refused: "volumeApiName",
    meter: "disk-month",
    source: "AWS Price List",
  },
  azure: {
    region: "westeurope",
    log: azureLog({
      "00224871C205": ["1790000000000,10.0.0.1,192.0.2.1,40000,443,6,O,E,NX,1000,6000000000,1000,100"],
    }),
    answer: "azure",
    refused: "IP%20Addresses",
    meter: "public-ip-hour",
    source: "Azure Retail Prices API",
  },
} as const;

/** Runs a command; `page` is the text of its page. */
async function run(command: "report" | "advise", cloud: "aws" | "azure", ...more: string[]) {
  const { region, log } = clouds[cloud];
  const live = { endpoint: service.endpoint, cacheDir: service.cacheDir, backOffMs: 1 };
  writeFileSync(at("out", "a.json"), JSON.stringify({ ...results, cloud }));
  writeFileSync(at("a.log"), log);
  const read = command === "report" ? [] : ["a.log"];
  const args = [...read, "--prices", "live", "--region", region, ...more];
  const { status, ...said } = await ran(command, args, at(), { live });
  const name = command === "report" ? "report.html" : "advice.html";
  const page = readFileSync(at("out", name), "utf8")
    .replaceAll(/<[^>]*>/g, " ")
    .replaceAll("&#39;", "'");
  return { status, ...said, page };
}

// Each cloud's service behind one of the commands, which read prices in one way.
describe.each([
  { command: "report", cloud: "azure" },
  { command: "advise", cloud: "aws" },
] as const)("$command --prices live of $cloud", ({ command, cloud }) => {
  const { refused, meter, source, answer } = clouds[cloud];
  const throttled = (response: ServerResponse) =>
    cloud === "aws"
      ? reply(response, { __type: "ThrottlingException", message: "Rate exceeded" }, 400)
      : reply(response, "Too many requests", 429);

  it("sends two requests at once, and none before a requested pause is over", async () => {
    let [open, most, early] = [0, 0, 0];
    let pausedUntil = 0;
    const waiting: (() => void)[] = [];
    service.handler = (request, body, response) => {
      open += 1;
      most = Math.max(most, open);
      early += performance.now() < pausedUntil ? 1 : 0;
      response.on("finish", () => {
        open -= 1;
      });
      if (pausedUntil === 0 && waiting.length < 2) {
        waiting.push(() => {
          response.setHeader("retry-after", "1");
          throttled(response);
        });
        // Both requests are sent before one of them is refused.
        if (waiting.length === 2) {
          pausedUntil = performance.now() + 990;
          for (const refuse of waiting) {
            refuse();
          }
        }
        return;
      }
      (service[answer] as Handler)(request, body, response);
    };
    const { status, page } = await run(command, cloud);
    expect({ status, most, early }).toEqual({ status: 0, most: 2, early: 0 });
    expect(page).toContain(source);
  });

  it("keeps the answers, reports missing ones on terminal and page, and requests those again", async () => {
    let busy = true;
    service.handler = (request, body, response) => {
      const asked = `${request.url}${body}`;
      busy && asked.includes(refused)
        ? throttled(response)
        : (service[answer] as Handler)(request, body, response);
    };
    const first = await run(command, cloud);
    expect(first.status).toBe(0);
    const said = new RegExp(`${source}: ${meter} in .*(Throttling|429).*the snapshot's price is used`);
    expect(first.stderr).toMatch(said);
    expect(first.page).toMatch(said);
    const isLive = new RegExp(`nat-gateway-hour[^]{0,200}${source}`);
    expect(first.page).toMatch(isLive);
    busy = false;
    const second = await run(command, cloud);
    expect(second.stderr).not.toMatch(said);
    // Complete answers are kept for a day.
    const asked = service.requests;
    await run(command, cloud);
    expect(service.requests).toBe(asked);
    // Three commands, each of thousands of prices.
  }, 60_000);
});
