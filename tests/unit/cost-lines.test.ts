/**
 * Prices in the components' cost lines equal the price book, and sizes in `docs/aws.md` the table of machines. Figures without a
 * price in the book stand in `notInTheBook`, each with its reason.
 */
import { execFileSync } from "node:child_process";
import { readFileSync } from "node:fs";
import { fileURLToPath } from "node:url";
import { describe, expect, test } from "vitest";
import { defaultBenchSizes, defaultNatSize, limitWords } from "../../bench/machines/index.ts";
import { HOURS_PER_MONTH } from "../../report/cost/bill.ts";
import { findPrice, type PricedCloud, priceSnapshots } from "../../report/cost/prices.ts";

const root = fileURLToPath(new URL("../../", import.meta.url));
const regions = { aws: "us-east-1", azure: "eastus" } as const;

/** A meter's price per unit, at most `digits` behind the point, without zeroes at the end. */
function price(cloud: PricedCloud, meter: string, times = 1, digits = 4): string {
  const found = findPrice(priceSnapshots[cloud], meter, regions[cloud])?.tiers[0]?.price;
  if (found === undefined) throw new Error(`expected a price of ${meter} in ${cloud}'s book; got none`);
  return String(Number((found * times).toFixed(digits)));
}

const aws = (meter: string, times?: number, digits?: number) => price("aws", meter, times, digits);
const azure = (meter: string, times?: number, digits?: number) => price("azure", meter, times, digits);
const month = (cloud: PricedCloud, meter: string, digits = 2) => price(cloud, meter, HOURS_PER_MONTH, digits);
const [awsSizes, azureSizes] = [defaultBenchSizes.aws, defaultBenchSizes.azure];
const [awsNat, azureNat] = [defaultNatSize.aws, defaultNatSize.azure];
const awsAddress = `${aws("public-ip-hour")} an hour`;
const azureAddress = `${azure("public-ip-hour")} an hour`;
const managed = (cloud: PricedCloud) =>
  `${price(cloud, "nat-gateway-hour")} an hour and ${price(cloud, "nat-gateway-gb")} a GB`;

/** Phrases with all figures of a component's cost lines. */
const phrases: Readonly<Record<string, readonly string[]>> = {
  "aws/bench-pair.ts": [
    `${awsSizes.client} ${aws(`vm-hour:${awsSizes.client}`, 1, 2)} an hour`,
    `${awsSizes.server} ${aws(`vm-hour:${awsSizes.server}`, 1, 2)}`,
    `a jump host ${aws(`vm-hour:${awsSizes.jump}`, 1, 3)}`,
  ],
  "aws/bench-server.ts": [
    `${awsSizes.server} ${aws(`vm-hour:${awsSizes.server}`, 1, 2)} an hour`,
    `${awsAddress} for the address`,
  ],
  "aws/direct-egress.ts": [`${aws("public-ip-hour")} USD an hour`],
  "aws/extra-clients.ts": [`${aws("public-ip-hour")} USD an hour`],
  "aws/fck-nat.ts": [
    `${awsNat} about ${month("aws", `vm-hour:${awsNat}`)} a month`,
    `t4g.nano about ${month("aws", "vm-hour:t4g.nano")}`,
    `${awsAddress} an address`,
  ],
  "aws/linux-host.ts": [
    `${awsNat} ${aws(`vm-hour:${awsNat}`)} an hour`,
    `${aws("disk-month", 1 / 8)} a month a GB of disk`,
    awsAddress,
  ],
  "aws/nat-gateway-egress.ts": [
    `${aws("nat-gateway-hour")} an hour (`,
    `${aws("nat-gateway-gb")} a GB`,
    `${aws("public-ip-hour")} an hour an address`,
    `about ${month("aws", "nat-gateway-hour", 0)} a month before traffic`,
    `on a ${awsNat}`,
  ],
  "aws/nat-instance.ts": [
    `${awsNat} about ${month("aws", `vm-hour:${awsNat}`)} a month`,
    `its 8 GB disk ${aws("disk-month")}`,
    `${awsAddress} an address`,
    `A NAT gateway costs about ${month("aws", "nat-gateway-hour", 0)} a month and ${aws("nat-gateway-gb")} a GB in either direction`,
    `about ${month("aws", "nat-gateway-hour", 0)} a month, ${month("aws", "public-ip-hour")} for its address`,
    `${aws("nat-gateway-gb")} for each GB`,
  ],
  "aws/vpc-peering.ts": [`${aws("cross-az-gb")} USD a GB each way`],
  "azure/bench-pair.ts": [
    `two ${azureSizes.client} about ${azure(`vm-hour:${azureSizes.client}`, 2, 2)} an hour`,
    `a jump host about ${azure(`vm-hour:${azureSizes.jump}`, 1, 2)}`,
  ],
  "azure/bench-server.ts": [
    `${azureSizes.server} about ${azure(`vm-hour:${azureSizes.server}`, 1, 2)} an hour`,
    `${azureAddress} for the address`,
  ],
  "azure/direct-egress.ts": [`${azure("public-ip-hour")} USD an hour`],
  "azure/expressroute.ts": [`ErGw1AZ gateway ${azure("expressroute-gateway-hour")} an hour`],
  "azure/extra-clients.ts": [`${azure("public-ip-hour")} USD an hour`],
  "azure/firewall-egress.ts": [
    `an hour Basic ${azure("firewall-hour:Basic")}, Standard ${azure("firewall-hour")}, Premium ${azure("firewall-hour:Premium")}`,
    `a GB Basic ${azure("firewall-gb:Basic")}, else ${azure("firewall-gb")}`,
  ],
  "azure/linux-host.ts": [
    `${azureNat} about ${azure(`vm-hour:${azureNat}`)} an hour`,
    `a 30 GB disk about ${azure("disk-month")} a month`,
  ],
  "azure/load-balancer-egress.ts": [
    `${azure("load-balancer-hour")} an hour, ${azure("load-balancer-gb")} a GB`,
    `${azureAddress} an address`,
  ],
  "azure/nat-gateway-egress.ts": [
    managed("azure"),
    `${azureAddress} an address`,
    `about ${month("azure", "nat-gateway-hour", 0)} a month before traffic`,
  ],
  "azure/nat-instance.ts": [
    `${azureNat} about ${month("azure", `vm-hour:${azureNat}`)} a month`,
    `its 30 GB disk about ${azure("disk-month")}`,
    `${azureAddress} a public address`,
    `a load balancer of one rule, ${azure("load-balancer-hour")} an hour and ${azure("load-balancer-gb")} a GB`,
    `A NAT gateway costs about ${month("azure", "nat-gateway-hour", 0)} a month and ${azure("nat-gateway-gb")} a GB`,
  ],
  "azure/vnet-peering.ts": [`${azure("peering-gb")} USD a GB at each side`],
  "azure/vpn-gateway.ts": [`VpnGw1AZ gateway ${azure("vpn-gateway-hour")} an hour`],
};

/** A function's calls and a stream of events, which depend on the number of machines; CloudWatch's prices are not in the book. */
const notInTheBook = ["4 to 7 for watching"];

/** The paragraphs of a file that begin with "Cost", each in one line. */
function costLines(file: string): string {
  const comment = readFileSync(root + file, "utf8").replaceAll(/^ *\* ?/gm, "");
  return [...comment.matchAll(/^Cost[ :(][\s\S]*?\n\n/gm)]
    .map(([text]) => text.replaceAll(/\s+/g, " "))
    .join(" ");
}

const files = execFileSync("git", ["ls-files", "components/aws/*.ts", "components/azure/*.ts"], {
  cwd: root,
  encoding: "utf8",
})
  .trim()
  .split("\n")
  .filter((file) => /\d/.test(costLines(file).replaceAll(/us-east-1/g, "")));

describe("a cost line's figures are the price book's", () => {
  test.each(files)("%s", (file) => {
    const held = [...(phrases[file.replace("components/", "")] ?? []), ...notInTheBook];
    const text = costLines(file).replaceAll("us-east-1", "");
    for (const phrase of phrases[file.replace("components/", "")] ?? []) expect(text).toContain(phrase);
    // A figure that no phrase holds would go out of date unnoticed.
    expect(held.reduce((rest, phrase) => rest.replaceAll(phrase, ""), text)).not.toMatch(/\d/);
  });
});

test("docs/aws.md has a small machine's rates from the table of machines", () => {
  const { sends, sustains } = limitWords("t4g.nano");
  const text = readFileSync(`${root}docs/aws.md`, "utf8").replaceAll(/\s+/g, " ");
  expect(text).toContain(`a t4g.nano bursts to ${sends} and holds ${sustains}.`);
});
