/**
 * What documents, comments and manifests say agrees with the program: one row each, with the sentences that are wrong. Run when
 * documents change, and by `npm test -- --all`. Not proved: that texts without a figure or a name are true.
 */
import { execFileSync } from "node:child_process";
import { existsSync, globSync, readdirSync, readFileSync, statSync } from "node:fs";
import { dirname, join, relative } from "node:path";
import { fileURLToPath } from "node:url";
import { expect, test } from "vitest";
import { parse } from "yaml";
import { failureClassSchema, parsePlan } from "../../bench/index.ts";
import { defaultBenchSizes, defaultNatSize, limitWords } from "../../bench/machines/index.ts";
import { tools } from "../../bench/tools/index.ts";
import { cloudRecords } from "../../bench/topologies/clouds.ts";
import { topologies, topologyNamed } from "../../bench/topologies/index.ts";
import { limits } from "../../bench/topologies/limits.ts";
import { readStackFile } from "../../cli/pulumi/stack-file.ts";
import { costLines, stackCost } from "../../cli/run/cost.ts";
import { agentSources } from "../../components/benchmark/agent-sources.ts";
import { HOURS_PER_MONTH } from "../../report/cost/bill.ts";
import { topologyCost } from "../../report/cost/cost.ts";
import { findPrice, type PricedCloud, priceSnapshots } from "../../report/cost/prices.ts";
import { referencePages } from "../../tools/reference/reference.ts";
import { groupsOf } from "../../tools/reference/site-index.ts";
import { PRESENT_SINCE, RECORD, tallied, tallyTable } from "../bench/failover-trial/tally.ts";
import { anchorOf, sectionOf } from "../helpers/doc-blocks.ts";
import { overlaps } from "../helpers/grid.ts";
import { failures } from "../lab/pair-trial/failures.ts";

const root = fileURLToPath(new URL("../../", import.meta.url));
const read = (path: string) => readFileSync(join(root, path), "utf8");
const files = execFileSync("git", ["ls-files", "--cached", "--others", "--exclude-standard"], {
  cwd: root,
  encoding: "utf8",
})
  .split("\n")
  .filter((path) => path !== "" && existsSync(join(root, path)));
const documents = files.filter((path) => path.endsWith(".md") && !path.startsWith("tests/fixtures/"));
const present = documents.filter((path) => path !== "CHANGELOG.md");
const all = (text: string, pattern: RegExp) => [...text.matchAll(pattern)].map(([, found = ""]) => found);
const without = (some: readonly string[], others: readonly string[]) =>
  some.filter((one) => !others.includes(one));
/** Names that only one of two lists has. */
const differing = (one: readonly string[], other: readonly string[]) => [
  ...without(one, other),
  ...without(other, one),
];
/** Sentences that a document lacks. */
const lacking = (path: string, ...texts: string[]) =>
  texts
    .filter((text) => !read(path).replaceAll(/\s+/g, " ").includes(text.replaceAll(/\s+/g, " ")))
    .map((text) => `${path}: ${text}`);

/** A document without its code, in which brackets have another meaning. */
const prose = (path: string) =>
  read(path)
    .replace(/^(```|~~~)[\s\S]*?^\1/gm, "")
    .replace(/`[^`\n]*`/g, (code) => code.replaceAll(/[[\]()]/g, ""));

/** The anchors of a document's headings, as GitHub makes them. */
const anchors = (path: string) =>
  (prose(path).match(/^#+ .*$/gm) ?? []).map((heading) => anchorOf(heading.replace(/^#+ /, "")));

function brokenLinks(from: string, text = prose(from)): string[] {
  return all(text, /\]\((?![a-z]+:)([^)\s]+)\)/g).filter((link) => {
    const [path = "", anchor] = link.split("#");
    const target = path === "" ? join(root, from) : join(root, dirname(from), path);
    if (!existsSync(target)) return true;
    return (
      anchor !== undefined &&
      !statSync(target).isDirectory() &&
      !anchors(relative(root, target)).includes(anchor)
    );
  });
}

/** Files of other projects, and words that are not files. */
const others = ["service/fck-nat.sh", "d.ts", "cli/x.ts"];

/** Source names in comments, in a document's code and in its links that no file of the project has. */
function missingFiles(file: string, text = read(file)): string[] {
  const said = file.endsWith(".md")
    ? /<!-- source:.*?-->|`[^`\n]+`|\]\([^)]+\)/gs
    : file.endsWith(".ts")
      ? /\/\*\*.*?\*\/|\/\/[^\n]*/gs
      : /#[^\n]*|""".*?"""/gs;
  return (text.match(said) ?? [])
    .flatMap((one) => one.match(/(?<![\w/.:-])[\w./-]*[\w-]\.(?:ts|py|sh)(?![\w(])/g) ?? [])
    .map((name) => name.replace(/^[./]+/, "").replace(/^egress-bench\//, "agent/"))
    .filter((name) => !others.includes(name) && !files.some((one) => `/${one}`.endsWith(`/${name}`)));
}

/** Rows of the Markdown table that follows a heading cell, each as its cells. */
function tableRows(document: string, firstHeading: string): string[][] {
  const [, table = ""] = document.split(`| ${firstHeading} |`);
  const [, , ...rows] = table.split("\n");
  const end = rows.findIndex((line) => !line.startsWith("|"));
  return rows.slice(0, end).map((line) =>
    line
      .slice(1, line.lastIndexOf("|"))
      .trim()
      .split(/ *\| */),
  );
}
const named = (cell = "") => all(cell, /`([^`]+)`/g);

const regions = { aws: "us-east-1", azure: "eastus" } as const;
const priced = ["azure", "aws"] as const;

/** USD for a month of received GB. */
const bill = (topology: string, cloud: PricedCloud, gbIn: number) =>
  topologyCost(
    { topology, cloud, region: regions[cloud], natSize: defaultNatSize[cloud] },
    { hours: HOURS_PER_MONTH, gbIn, gbOut: 0 },
    priceSnapshots[cloud],
  ).knownCost;

/** USD a month without traffic and per received GB, in each cloud that has the topology. */
const costCells = (topology: string) =>
  priced.flatMap((cloud) => {
    if (!topologyNamed(topology)?.clouds.includes(cloud)) return ["", ""];
    const month = bill(topology, cloud, 0);
    return [month.toFixed(2), String(Number((bill(topology, cloud, 1) - month).toFixed(3)))];
  });

/** A row of a table, by its component. */
const cellsOf = (path: string, component: string) =>
  new RegExp(`^\\| \`${component}\`.*?\\|(.*)\\|$`, "m")
    .exec(read(path))?.[1]
    ?.split("|")
    .map((cell) => cell.trim())
    .join();

const components = {
  ...{
    NatInstance: "nat-instance",
    FckNat: "fck-nat",
    NatGatewayEgress: "nat-gateway",
    DirectEgress: "direct",
  },
  ...{ LoadBalancerEgress: "load-balancer", FirewallEgress: "firewall", DefaultSnat: "default-snat" },
};

/** Prices of a cloud's book, of services and of the usual machines, as cost lines write them. */
function bookFigures(cloud: PricedCloud): Set<string> {
  const sizes = [...Object.values(defaultBenchSizes[cloud]), defaultNatSize[cloud], "t4g.nano"];
  const meters = priceSnapshots[cloud].prices.map(({ meter }) => meter);
  const known = new Set(
    meters.filter((meter) => !meter.startsWith("vm-hour:") || sizes.includes(meter.slice(8))),
  );
  return new Set(
    [...known].flatMap((meter) => {
      const { price = Number.NaN } = findPrice(priceSnapshots[cloud], meter, regions[cloud])?.tiers[0] ?? {};
      // For an hour, a month, two machines, and a GB of a disk of 8.
      return [1, HOURS_PER_MONTH, 2, 1 / 8].flatMap((times) =>
        [0, 2, 3, 4].map((digits) => String(Number((price * times).toFixed(digits)))),
      );
    }),
  );
}

/** Figures of a component's cost lines that the cloud's book lacks: stale ones. Disks have 8 and 30 GB; CloudWatch has no price in the book. */
function staleFigures(cloud: PricedCloud, text: string): string[] {
  const paragraphs = all(text.replaceAll(/^ *\* ?/gm, ""), /^(Cost[ :(][\s\S]*?\n\n)/gm)
    .join(" ")
    .replaceAll(/\s+/g, " ");
  const plain = paragraphs.replaceAll(
    /4 to 7 for watching|\b(8|30) GB disk|us-east-1|\b[\w.]*[A-Za-z][\w.]*\d[\w.]*|\b\w+\.[a-z]+/g,
    (name) => (/^[\d.]+$/.test(name) ? name : ""),
  );
  return without(all(plain, /(\d+(?:\.\d+)?)/g), ["0", ...bookFigures(cloud)]);
}

const CONNECTIONS = 1000 * 1000;
/** Rows of nat-limits.md for a cluster with a million connections to one destination. */
const clusterRows = (
  [
    ["AKS, load balancer", limits.azure["load-balancer"]],
    ["AKS, NAT gateway", limits.azure["nat-gateway"]],
    ["EKS, zonal NAT gateway", limits.aws["nat-gateway"]],
  ] as const
).map(([way, { flowsPerAddressAndDestination: flows, addressesPerGateway: most }]) => {
  const addresses = Math.ceil(CONNECTIONS / (flows as number));
  return new RegExp(`^\\| ${way}.* \\| ${addresses} \\| ${Math.ceil(addresses / (most as number))}\\b`, "m");
});

interface Panel {
  readonly id: number;
  readonly title: string;
  readonly gridPos: { readonly x: number; readonly y: number; readonly w: number; readonly h: number };
  readonly fieldConfig: { readonly defaults: { readonly unit: string; readonly decimals?: number } };
  readonly targets: readonly { readonly expr: string; readonly legendFormat: string }[];
}

/** Grafana's unit for a query's figure. */
function unitOf(expr: string): string {
  const rate = /\brate\(/.test(expr);
  if (/ \/ /.test(expr)) return "percentunit";
  if (rate && /_bytes_total/.test(expr)) return expr.startsWith("8 * ") ? "bps" : "Bps";
  if (rate && /_(packets|dropped)_total|allowance_exceeded/.test(expr)) return "pps";
  return rate ? "cps" : "short";
}

/** Mistakes of the example of a Grafana dashboard: that each metric is written is proved by tests/lab/nat-instance/published-metrics.test.ts. */
function dashboardMistakes(): string[] {
  const { panels } = JSON.parse(read("docs/examples/nat-instance-dashboard.json")) as {
    panels: readonly Panel[];
  };
  const places = panels.map(({ gridPos: { x, y, w, h } }) => ({ x, y, width: w, height: h }));
  const ids = panels.map(({ id }) => id);
  return [
    ...overlaps(places).map((pair) => `panels ${pair} overlap`),
    ...places.filter(({ x, width }) => x + width > 24).map(({ x }) => `a panel at ${x} is too wide`),
    ...ids.filter((id, at) => ids.indexOf(id) !== at).map((id) => `two panels ${id}`),
    ...panels.flatMap(({ title, fieldConfig: { defaults }, targets }) =>
      targets.flatMap(({ expr, legendFormat }) => {
        const labels = all(legendFormat, /\{\{(\w+)\}\}/g)
          .sort()
          .join(", ");
        const [, kept = labels] = / by \(([a-z, ]+)\)/.exec(expr) ?? [];
        const counts = /_total|_exceeded/.test(expr) && !/\brate\(/.test(expr);
        return [
          ...(defaults.unit === unitOf(expr) ? [] : [`${expr}: unit ${defaults.unit}`]),
          // An increase over a window is no whole number: one take-over would read 1.4.
          ...(/\bincrease\(/.test(expr) ? [`${expr}: an increase`] : []),
          ...(counts && !(/since boot/.test(title) && defaults.decimals === 0)
            ? [`${expr}: neither a rate nor whole since boot`]
            : []),
          ...(labels.includes("instance") && kept.split(", ").sort().join(", ") === labels
            ? []
            : [`${expr}: labels ${labels}`]),
          ...(/job=~"\$job",instance=~"\$instance"/.test(expr)
            ? []
            : [`${expr}: not of the chosen instances`]),
        ];
      }),
    ),
  ];
}

interface AlertFile {
  readonly groups: readonly {
    readonly rules: readonly {
      readonly alert: string;
      readonly annotations: { readonly runbook_url?: string };
    }[];
  }[];
}

interface LockedPackage {
  readonly license?: string;
  readonly dev?: boolean;
  readonly version?: string;
  readonly integrity?: string;
}
const manifest = JSON.parse(read("package.json"));
const packages: Record<string, LockedPackage> = JSON.parse(read("package-lock.json")).packages;
/** Licences for packages that are part of a product, with a notice at most; then further ones, for packages that are not distributed. */
const permissive = [
  ...["MIT", "(MIT AND Zlib)", "ISC", "Apache-2.0", "BSD-2-Clause", "BSD-3-Clause", "0BSD"],
  "Unlicense",
];
const forDevelopment = [
  ...[...permissive, "BlueOak-1.0.0", "MPL-2.0", "Python-2.0", "CC0-1.0", "CC-BY-3.0"],
  ...["MIT OR Apache-2.0", "(BSD-3-Clause AND Apache-2.0)"],
];
/** Packages whose manifest has no licence that npm can read: their licence file has MIT's. */
const unread = ["@logdna/tail-file", "buildcheck", "cpu-features", "jstat", "ssh2"];

const goModules = (part: string) =>
  new Map(
    [...read(`setup/pulumi/${part}/go.mod`).matchAll(/^\t(\S+) (v\S+)/gm)].map(([, name, version]) => [
      name,
      version,
    ]),
  );

const pages = referencePages();
const byHand = named(/by hand are ([\s\S]*?`)\./.exec(read("CONTRIBUTING.md"))?.[1]);
const trials = (since: string) => tallied(RECORD).filter(({ at }) => at >= since);
const agentDirectories = all(read("agent/README.md"), /^\| `([a-z]+)\/` \|/gm);

const wrong: Readonly<Record<string, () => readonly string[]>> = {
  "links lead to a file and a heading": () =>
    documents.flatMap((path) => brokenLinks(path).map((link) => `${path}: ${link}`)),
  "comments and documents name files that exist": () =>
    files
      .filter(
        (one) =>
          /\.(ts|py|sh|md)$/.test(one) &&
          one !== "CHANGELOG.md" &&
          !/fixtures|generated|tests\/documents/.test(one),
      )
      .flatMap((one) => missingFiles(one).map((name) => `${one}: ${name}`)),
  "documents name tests that exist": () =>
    present.flatMap((from) => without(all(read(from), /`(tests\/[\w./-]+\.(?:test\.)?[tp][sy])`/g), files)),
  "each threat names a test, or says that there is none": () => {
    const [, table = ""] = read("docs/security.md").split("\n## Threats\n");
    const cells = table
      .split("\n## ")[0]!
      .split("\n")
      .filter((line) => line.startsWith("| "))
      .slice(2);
    return cells.filter((line) => !/^(none|`tests\/[\w./-]+\.ts`.*)$/.test(line.split("|").at(-2)!.trim()));
  },
  "the index lists every document, each once": () => {
    const listed = groupsOf(read("docs/README.md")).flatMap(({ links }) =>
      links.map(({ path }) => `docs/${path}`),
    );
    const own = listed.filter((path) => !path.includes("../")).sort();
    const there = globSync(["docs/*.md", "docs/{details,reference}/*.md"], { cwd: root }).filter(
      (path) => path !== "docs/README.md",
    );
    return [...differing(own, there), ...own.filter((path, at) => own[at + 1] === path)];
  },
  "what is told is short: 2,400 lines in all, 200 lines and 2,000 words a document, README 700 words": () => {
    const told = ["README.md", ...globSync("docs/*.md", { cwd: root })].map((path) => {
      const text = read(path);
      const words = text.replace(/<!--[\s\S]*?-->/g, "").match(/\S*[\p{L}\p{N}]\S*/gu) ?? [];
      return { path, lines: text.split("\n").length - 1, words: words.length };
    });
    const sum = told.slice(1).reduce((before, { lines }) => before + lines, 0);
    return [
      ...told
        .filter(({ path, lines, words }) => lines > 200 || words > (path === "README.md" ? 700 : 2000))
        .map(({ path }) => path),
      ...(sum > 2400 ? [`${sum} lines`] : []),
    ];
  },
  "each alert leads to the runbook that names it": () =>
    (parse(read("docs/examples/nat-instance-alerts.yml")) as AlertFile).groups
      .flatMap(({ rules }) => rules)
      .filter(({ alert, annotations: { runbook_url: url } }) => {
        const [, path = "", anchor = ""] = /\/blob\/main\/(docs\/runbooks\.md)#(.*)$/.exec(url ?? "") ?? [];
        return path === "" || !sectionOf(path, anchor).includes(`\`${alert}\``);
      })
      .map(({ alert }) => alert),
  "the runbook's status has the fields of the pair's program": () =>
    without(
      all(/^ *\{"role".*$/m.exec(read("docs/runbooks.md"))?.[0] ?? '"none":', /"(\w+)":/g),
      all(read("components/nat-instance/pair/daemon.py"), /^ +"(\w+)": /gm),
    ),
  "high availability lists every option that a pair refuses": () =>
    (
      [
        ["components/aws/pair-args.ts", "On AWS"],
        ["components/azure/nat-pair.ts", "On Azure"],
      ] as const
    ).flatMap(([path, heading]) => {
      const [, refused = ""] = /assertPairable\(nat, \[(.*)\]\)/.exec(read(path)) ?? [];
      const [, section = ""] = read("docs/high-availability.md").split(`\n### ${heading}\n`);
      const [, said = ""] = /^- \*\*Refused\*\*: ([\s\S]*?)(?=\n\n|\n- )/m.exec(section) ?? [];
      return without(["iptables", ...all(refused, /"(\w+)"/g)], named(said)).map(
        (one) => `${heading}: ${one}`,
      );
    }),
  "the runbook counts each connection for its client alone": () => {
    const [, pipeline = "false"] = /`sudo conntrack -L \| (.*?)`/.exec(read("docs/runbooks.md")) ?? [];
    const line =
      "tcp 6 9 ESTABLISHED src=10.0.1.5 dst=192.0.2.1 sport=1 dport=2 src=192.0.2.1 dst=198.51.100.1 sport=2 dport=1";
    return differing(
      [execFileSync("sh", ["-c", pipeline], { input: `${line}\n`, encoding: "utf8" }).trim()],
      ["1 10.0.1.5"],
    );
  },
  "the runbook's gateway stands in where a whole zone failed: it shows the zones of the public subnets":
    () => {
      const text = read("docs/runbooks.md");
      const [told = ""] = /^aws ec2 describe-subnets .*# PUBLIC-SUBNET: .*$/m.exec(text) ?? [];
      const [vpc = "", before = ""] = [...text.matchAll(/^aws ec2 describe-route-tables .*# says (VPC)$/gm)]
        .flat()
        .reverse();
      return [
        ...["AvailabilityZone", "SubnetId", `Values=${vpc} `, "igw-*"].filter((one) => !told.includes(one)),
        ...(text.indexOf(before) < text.indexOf(told) ? [] : ["VPC is not told first"]),
      ];
    },
  "the runbook's login is an output of README's program and of the templates": () =>
    ["README.md", "templates/aws-nat-instance/index.ts", "templates/azure-nat-instance/index.ts"].flatMap(
      (path) => lacking(path, "export const key = operator.privateKey;"),
    ),
  "how long npm run guest takes is said in one place": () =>
    [
      "tests/guest/usage.txt",
      ".ci/run",
      "CONTRIBUTING.md",
      "setup/usage.txt",
      "docs/details/installed.md",
    ].filter((path) => /(guest|system)[^.]*\b(minutes|hours?)\b/.test(read(path))),
  "each document begins with what its reader can do after it": () =>
    globSync("docs/*.md", { cwd: root }).filter(
      (path) => path !== "docs/README.md" && !/^# .+\n\nAfter this page you can /.test(read(path)),
    ),
  "the walkthrough shows a preview's price": () => {
    const stack = readStackFile("aws-nat-instance");
    return lacking(
      "docs/first-cloud-run.md",
      ...costLines([stackCost(stack, parsePlan(stack.plan), priceSnapshots.aws)], priceSnapshots.aws),
    );
  },
  // At 830 px a line of text has 24 px, and a screen 800.
  "README's first screen has the question, prices, who it is for, both commands, and a picture of the answer":
    () => {
      const [before = "", name = ""] = read("README.md").split(/<img src="(.*?)" width="830"/);
      const picture = readFileSync(`${root}/${name}`);
      const pixels =
        before.split("\n").length * 22 + (830 * picture.readUInt32BE(20)) / picture.readUInt32BE(16);
      return [
        ...["?**", "| `NatInstance`", "(#where-to-begin)", "npm run choose", "npm run local"].filter(
          (one) => !before.includes(one),
        ),
        ...[defaultNatSize.aws, defaultNatSize.azure].filter((one) => !before.includes(`\`${one}\``)),
        ...(pixels > 800 ? [`${pixels} px`] : []),
      ];
    },
  "README and the library's table have the book's prices": () => [
    ...["NatGatewayEgress", "NatInstance"].filter(
      (one) =>
        cellsOf("README.md", one) !==
        (["aws", "azure"] as const)
          .map((cloud) => bill(components[one as keyof typeof components], cloud, 10_000).toFixed(2))
          .join(),
    ),
    ...Object.entries(components)
      .filter(([one, topology]) => cellsOf("docs/library.md", one) !== costCells(topology).join())
      .map(([one]) => one),
  ],
  "the components' cost lines have the book's prices": () =>
    priced.flatMap((cloud) =>
      files
        .filter((path) => path.startsWith(`components/${cloud}/`) && path.endsWith(".ts"))
        .flatMap((path) => staleFigures(cloud, read(path)).map((one) => `${path}: ${one}`)),
    ),
  "a small machine's rates are the table's": () => {
    const { sends, sustains } = limitWords("t4g.nano");
    return lacking("docs/aws.md", `a t4g.nano bursts to ${sends} and holds ${sustains}.`);
  },
  "a cluster's addresses and gateways follow from the published limits": () => {
    const { flowsPerAddressAndDestination: own } = limits.azure["nat-instance"];
    const { flowsPerAddressAndDestination: ports } = limits.azure["load-balancer"];
    const { flowsPerAddressAndDestination: flows, addressesPerGateway: most } = limits.azure["nat-gateway"];
    const text = read("docs/reference/nat-limits.md");
    return [
      ...clusterRows.filter((row) => !row.test(text)).map(String),
      ...lacking(
        "docs/reference/nat-limits.md",
        `| NAT instance (AKS: \`userDefinedRouting\`) | ${Math.ceil(CONNECTIONS / (own as number))} |`,
        `at most ${Math.floor((16 * (ports as number)) / 1000).toLocaleString("en")} nodes`,
        `so ${((flows as number) * (most as number)).toLocaleString("en")} such`,
      ),
    ];
  },
  "a pair's failures are the recorded trials, of failures that can be tried again": () => [
    ...["", PRESENT_SINCE].flatMap((since) =>
      lacking("docs/reference/failover.md", `\n\n${tallyTable(trials(since)).join("\n")}\n\n`),
    ),
    ...without(
      trials("").map(({ kind }) => kind),
      failures.map(({ name }) => name),
    ),
    ...(trials(PRESENT_SINCE).length > 0 ? [] : ["no trial of the present code"]),
  ],
  "each failure class has a remedy, in the order of the schema": () => {
    const parts = (read("docs/troubleshooting.md").split("\n## ")[1] ?? "").split(/\n?### /).slice(1);
    const names = parts.map((part) => part.split("\n")[0]!);
    return [
      ...(names.join() === failureClassSchema.options.join() ? [] : names),
      ...parts.filter((part) => part.slice(part.indexOf("\n")).trim().length <= 80),
    ];
  },
  "the generated reference is up to date (npm run reference), and describes each field": () => [
    ...Object.entries(pages).flatMap(([name, text]) =>
      read(`docs/reference/${name}`) === text ? [] : [name],
    ),
    // A benchmark makes changes.md.
    ...differing(readdirSync(join(root, "docs/reference")), [
      ...Object.keys(pages),
      ...["changes.md", ...byHand],
    ]),
    ...byHand.filter((name) => read(`docs/reference/${name}`).includes("Do not edit")),
    ...Object.entries(pages).flatMap(([name, text]) =>
      name === "stacks.md" ? [] : all(text, /^\| (`[^|]*) \|.*\| {2}\|$/gm),
    ),
    ...without(Object.keys(tools), all(pages["plans.md"] ?? "", /^## Cases of `tool: (.*)`$/gm)),
  ],
  "the results' JSON Schema describes every property and every named object": () => {
    const bare: string[] = [];
    JSON.stringify(
      JSON.parse(pages["results.schema.json"] ?? ""),
      (key, value: { properties?: object; $defs?: object } | null) => {
        for (const [name, one] of Object.entries({ ...value?.properties, ...value?.$defs }))
          if (!(one as { description?: string }).description) bare.push(`${key}.${name}`);
        return value;
      },
    );
    return bare;
  },
  "each topology has a stack file": () =>
    Object.entries(topologies).flatMap(([name, { clouds }]) =>
      clouds.flatMap((cloud) => {
        const stack = `${cloud === "azure" ? "" : `${cloud}-`}${name}`;
        const { config } = parse(read(`stacks/Pulumi.${stack}.yaml`));
        const [entry, ...more] = config["egress-bench:topologies"];
        const isOwn =
          config["egress-bench:cloud"] === cloud && more.length === 0 && (entry.topology ?? entry) === name;
        return isOwn ? [] : [stack];
      }),
    ),
  "docs/choosing.md says what each topology is charged for": () => {
    const rows = tableRows(read("docs/choosing.md"), "topology");
    const listed = rows.flatMap(([names, ...cells]) =>
      named(names).map((name) => [name, cells.slice(0, 5)] as const),
    );
    const cellsOf = (name: string, [hours, gb, , disk]: readonly string[]) => {
      const of = (kind: string) => topologyNamed(name)?.charges.find((charge) => charge.kind === kind);
      const addresses = topologyNamed(name)?.charges.filter(({ kind }) => kind === "address") ?? [];
      const countOf = ({ count, clouds }: (typeof addresses)[number]) =>
        count === "addresses"
          ? "as measured"
          : `${count}${clouds ? ` on ${cloudRecords[clouds[0]!].title}` : ""}`;
      return [
        ...[
          of("service") ? hours || "something" : "",
          of("data") ? gb || "something" : gb === "not priced" ? gb : "",
        ],
        ...[
          addresses.map(countOf).join(", "),
          of("disk") ? disk || "something" : "",
          of("egress") ? "yes" : "",
        ],
      ];
    };
    return [
      ...differing(
        listed.map(([name]) => name),
        Object.keys(topologies),
      ),
      ...listed.filter(([name, cells]) => cellsOf(name, cells).join() !== cells.join()).map(([name]) => name),
    ];
  },
  "docs/plans.md names the topologies whose clients a server can connect to": () =>
    differing(
      named(/server can reach the client: ([^.]*)\./.exec(read("docs/plans.md"))?.[1]),
      Object.entries(topologies).flatMap(([name, { jumpHost }]) => (jumpHost ? [] : [name])),
    ),
  "the example of a Grafana dashboard shows each figure in its unit": dashboardMistakes,
  "a month's hours have one home": () =>
    files.filter(
      (path) =>
        /^(report|packages|cli)\/.*\.ts$/.test(path) &&
        !/cost\/bill\.ts$|generated/.test(path) &&
        /\b730\b/.test(read(path).replaceAll(/^ *(\/?\*|\/\/).*$/gm, "")),
    ),
  "the agent's files import from their own directory and those listed before it": () =>
    Object.entries(agentSources()).flatMap(([path, text]) => {
      const at = agentDirectories.indexOf(path.split("/")[0]!);
      if (!path.includes("/")) return [];
      const used = all(text, /^ *(?:from|import) ([a-z0-9_]+)[. ]/gm).filter((name) =>
        agentDirectories.includes(name),
      );
      return at < 0
        ? [path]
        : without(used, agentDirectories.slice(0, at + 1)).map((name) => `${path}: ${name}`);
    }),
  "packages have licences that are known and fit": () =>
    Object.entries(packages).flatMap(([path, { license = "none", dev = false }]) => {
      const name = path.replace(/^.*node_modules\//, "");
      const allowed = dev ? forDevelopment : permissive;
      return path === "" || unread.includes(name) || allowed.includes(license) ? [] : [`${name}: ${license}`];
    }),
  "every exception from reading a licence is needed": () =>
    unread.filter((name) => !Object.keys(packages).some((path) => path.endsWith(`node_modules/${name}`))),
  "every package is pinned to a version and a checksum, and the lock file is package.json's": () => [
    ...Object.entries(packages)
      .filter(
        ([path, { version, integrity }]) => path !== "" && !(version && integrity?.startsWith("sha512-")),
      )
      .map(([path]) => path),
    ...["dependencies", "devDependencies", "peerDependencies", "engines"].filter(
      (kind) =>
        JSON.stringify((packages[""] as Record<string, unknown>)[kind]) !== JSON.stringify(manifest[kind]),
    ),
  ],
  "Pulumi's CLI and its language host share versions of modules, so that each is compiled once": () => {
    const [cli, languageHost] = [goModules("cli"), goModules("language-nodejs")];
    // The CLI's module stopped including the language host after that one's version.
    return [...languageHost].flatMap(([name, version]) =>
      cli.has(name) && name !== "github.com/pulumi/pulumi/sdk/v3" && cli.get(name) !== version
        ? [`${name}`]
        : [],
    );
  },
};

test.each(Object.entries(wrong))("%s", (_, find) => expect(find()).toEqual([]));

test("mistakes are found", () => {
  const text = "[a](docs/nothing.md) [b](ARCHITECTURE.md#no-such-part) [c](ARCHITECTURE.md#the-lab)";
  expect(brokenLinks("README.md", text)).toEqual(["docs/nothing.md", "ARCHITECTURE.md#no-such-part"]);
  expect(
    missingFiles("a.ts", '/** Read by `barrier.py`. */\n// see ./aws/nat-args.ts\nconst at = "b.py";'),
  ).toEqual(["barrier.py"]);
  expect(
    missingFiles("a.md", "| `barrier.py` | <!-- source: a/b.ts, components/aws/nat-args.ts -->"),
  ).toEqual(["barrier.py", "a/b.ts"]);
  expect(
    staleFigures(
      "aws",
      "/**\n * Cost (us-east-1): t4g.micro 0.0084 an hour, its 8 GB disk 0.65, twice 0.045.\n *\n */",
    ),
  ).toEqual(["0.65"]);
  expect([documents, files].map(({ length }) => length > 20)).toEqual([true, true]);
});
