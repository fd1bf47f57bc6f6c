/** Every command and option: its name, help and default, and what excludes it. `docs/reference/commands.md` comes from here. */
import type { Declaration } from "./program.ts";

const out = { value: "DIR", help: "where the files go", default: "out" } as const;
const prices = {
  value: "WHICH",
  repeated: true,
  help: "snapshot, live (the clouds' price services), or the file of a price list; may be repeated for a list of each cloud (default: snapshot)",
} as const;
const natTerm = {
  value: "TERM",
  help: "reserved-1y, reserved-3y, savings-1y, savings-3y or spot: NAT machines at the prices of that term in your price list (default: on demand)",
} as const;
const store = {
  value: "DIR",
  help: "keep whole runs for the command history, in a directory or in s3://BUCKET/PREFIX",
} as const;
const exported = {
  value: "NAME",
  repeated: true,
  help: "also write the figures for benchmark-action or bencher; may be repeated",
} as const;

/** Options of both `local` and `compare`. */
const run = {
  plan: { value: "NAME", help: "a preset, or a JSON or YAML file, instead of the stack's plan" },
  duration: { value: "N", help: "seconds of every case, instead of the plan's" },
  "rate-scale": { value: "X", help: "multiplies every rate of the plan, e.g. 0.1" },
  store,
  yes: { help: "answer yes to every question: price, time, earlier deployments" },
  json: { help: "print what was done as JSON (npm run --silent)" },
  keep: { help: "leave everything deployed, and say what it costs" },
  resume: {
    help: "continue an interrupted run; measures only what is missing",
    conflicts: ["plan", "duration", "rate-scale"],
    because: "the interrupted run's plan goes on",
  },
  down: { help: "only destroy what an earlier run left", conflicts: ["resume", "keep"] },
} as const;

const natSetup = {
  "private-cidrs": { value: "BLOCKS", help: "comma-separated IPv4 blocks whose hosts may go out" },
  "ssh-cidrs": { value: "BLOCKS", help: "IPv4 blocks that may log in by SSH (default: nobody)" },
  options: {
    value: "FILE",
    help: "YAML or JSON: options of the NAT instance, as in a stack's file, such as dataPlane or portRange",
  },
  "extra-script": { value: "FILE", help: "your own script, run as root after the set-up" },
  "power-off-on-failure": {
    help: "power off if the set-up fails, so that an Auto Scaling group or scale set launches another machine",
  },
} as const;

const local = {
  name: "local",
  summary: "measure the lab on this machine",
  description:
    "Deploys a local lab of network namespaces, load-tests its ways out, prints the comparison, and takes the lab down. Never reaches a cloud. Needs Linux and root, or sudo without a password.",
  options: {
    stack: {
      value: "NAME",
      help: 'a stack file of stacks/ whose cloud is "local"',
      default: "local-compare",
    },
    ...run,
    json: { help: "print the results document, not the table (npm run --silent)" },
    out: {
      value: "FILE",
      help: "where the results go, with the report beside them",
      default: "out/results.json",
    },
  },
  notes: [
    "Ctrl-C ends the current step and leaves the lab up for --resume. An interrupted run writes its figures to results.partial.json, beside --out, and never overwrites whole results.",
    "Exit status: 0 all measured; 1 something was not measured, or failed; 2 wrong usage, or you did not agree; 3 something could not be taken down; 130 interrupted.",
  ],
} as const satisfies Declaration;

const compare = {
  name: "compare",
  summary: "measure the stacks of a cloud, or of a matrix",
  description:
    "Deploys all stacks of a cloud's comparison, measures them, writes the results of each and one report of all, and destroys what it deployed. A cloud's stacks run side by side; those of the local lab run one after the other. A matrix is a YAML file of axes, of whose cells each is measured as a stack of its own.",
  options: {
    cloud: {
      value: "NAME",
      help: "azure: compare, compare-rtt, compare-vpn, compare-bandwidth; aws: aws-compare, aws-fck-nat-sizes; local: local-compare; hosts: hosts-existing",
    },
    stack: { value: "NAME", repeated: true, help: "only this stack of stacks/; may be repeated" },
    ...run,
    out: { ...out, help: "where results (<stack>.json) and report go" },
    parallel: { value: "N", help: "stacks at a time in a cloud, 1 to 16 (default: 4)" },
    matrix: {
      value: "FILE",
      help: "the file of a matrix; --out, --store, --yes, --json, --keep, --resume (measures the cells that are missing) and --down work too",
      conflicts: ["cloud", "stack", "plan", "duration", "rate-scale", "parallel"],
      because: "the matrix's file sets it, by defaults, axes or maxParallel",
    },
    list: {
      help: "print its cells, their time and price, and the quotas they need; starts nothing",
      needs: "matrix",
      conflicts: ["list-json", "resume", "down"],
    },
    "list-json": { help: "the same as JSON", needs: "matrix", conflicts: ["resume", "down"] },
    shard: { value: "I/N", help: "only every N-th cell, from the I-th on", needs: "matrix" },
  },
  notes: [
    "Without --keep everything is destroyed at the end, also after a failure. Ctrl-C ends the current step and leaves the deployment for --resume; with --matrix it destroys the stacks, unless --keep is given. The command always says what is left, what it costs and how to destroy it. An interrupted run writes its figures to <stack>.partial.json and never overwrites whole results.",
    "Exit status: 0 all measured; 1 something was not measured, or failed; 2 wrong usage, or you did not agree; 3 something could not be destroyed and still costs money; 130 interrupted.",
  ],
} as const satisfies Declaration;

const report = {
  name: "report",
  summary: "which way out to take, from results",
  description:
    "Says which way out to take for your traffic, and makes one report of all given results: report.html, report.md and report.csv. Of a directory it reads all results below. Without files and stacks it reads out/*.json.",
  files: "results.json",
  options: {
    stack: { value: "NAME", repeated: true, help: "read the results of a stack; may be repeated" },
    out,
    "gb-in": { value: "GB", help: "GB a month received from the internet (default: 1000)" },
    "gb-out": { value: "GB", help: "GB a month sent to the internet (default: 200)" },
    "peak-gbit": {
      value: "GBIT",
      help: "busiest minute in Gbit/s, both directions together (default: the month's mean)",
    },
    "new-connections": { value: "N", help: "new connections a second" },
    connections: { value: "N", help: "simultaneous connections to the busiest destination" },
    machines: { value: "N", help: "machines that open them (default: 1)" },
    zones: { value: "N", help: "zones that have a NAT each (default: 1)" },
    "idle-seconds": { value: "S", help: "longest silence that a connection must survive" },
    "no-fixed-address": { help: "the public address may change" },
    "no-single-point": { help: "no single machine may stop all traffic" },
    region: {
      value: "NAME",
      help: "region whose prices are used (default: as measured; else eastus, us-east-1)",
    },
    regions: { value: "A,B", help: "regions whose cost is compared" },
    now: { value: "NAME", help: "what carries the traffic now: nat-gateway, nat-instance, fck-nat, ..." },
    "nat-size": {
      value: "SIZE",
      help: "size of every NAT machine (default: as measured; else Standard_B2ats_v2, t4g.micro)",
    },
    "nat-term": natTerm,
    prices,
    limit: {
      value: "RATE",
      help: "the machines' published limit, such as 12.5G, drawn across the streams curve",
    },
    baseline: {
      value: "FILE",
      help: "compare with these earlier results; fail when something got worse",
    },
    tolerance: { value: "PERCENT", help: "how much worse still passes (default: 5%)" },
    "allow-not-judged": { help: "pass even if cases have too few repetitions to judge" },
    annotate: { help: "also print the verdict as GitHub annotations" },
    export: exported,
    store,
    commit: {
      value: "SHA",
      help: "commit that was measured, kept with the runs (default: GITHUB_SHA)",
    },
    json: { help: "print what was made, and the comparison with the baseline, as JSON" },
  },
  notes: [
    "Exit status: 0 report made; 1 no usable results (nothing is written), or some input could not be used (the rest is shown); 2 wrong usage; 3 something got worse than the baseline; 4 cases have too few repetitions to be judged. With --baseline there are also gate.md and gate.junit.xml.",
  ],
} as const satisfies Declaration;

const choose = {
  name: "choose",
  summary: "a page that answers before anything is deployed",
  description:
    "Writes choose.html: which way out to take for your traffic, before anything is deployed. The page has inputs for traffic, peak, connections and zones, for each region of Azure and AWS that has prices. It needs no network and no account.",
  options: {
    prices: {
      ...prices,
      help: "snapshot, or the file of a price list; may be repeated for a list of each cloud (default: snapshot)",
    },
    "nat-term": natTerm,
    out: { ...out, help: "where the page goes" },
  },
  notes: ["Exit status: 0 page written; 1 it could not be written; 2 wrong usage."],
} as const satisfies Declaration;

const advise = {
  name: "advise",
  summary: "what your flow logs, metrics or bill say",
  description:
    "Reads your own flow logs and says what your traffic is, what each way out would need and cost, and which one to take. Knows AWS VPC flow logs (text, gzip, Parquet) and Azure VNet flow logs (JSON). Also takes what says less: a NAT gateway's metrics (JSON of aws cloudwatch get-metric-data or get-metric-statistics, or of az monitor metrics list), a bill (AWS's Cost and Usage Report, Azure's cost export, FOCUS; CSV, gzip, Parquet; Cost Explorer's CSV or JSON), or a month's gigabytes that you type. It recognises files by their content. Nothing leaves this machine. Writes advice.html, advice.md and advice.json.",
  files: "file or directory",
  options: {
    period: {
      value: "SECONDS",
      help: "time that each point of CloudWatch's metrics covers (default: the longest usual one that fits)",
    },
    cloud: { value: "NAME", help: "aws or azure: whose typed figures or files these are" },
    "gb-in": { value: "GB", help: "received from the internet in a month" },
    "gb-out": { value: "GB", help: "sent to the internet in a month" },
    gb: { value: "GB", help: "both together, as the console and the bill show them" },
    gateways: {
      value: "NUMBER",
      help: "NAT gateways of today, beside typed figures",
      default: "1",
    },
    sql: {
      value: "ENGINE",
      help: "print SQL for athena or spark, for AWS's flow logs that are too large for one machine: it reduces them in place; then give advise the files that it wrote (spark: to the directory that you name, default aggregates)",
    },
    table: { value: "NAME", help: "table of the flow logs", default: "vpc_flow_logs" },
    from: { value: "DAY", help: "first day of logs to read, such as 2026-11-01" },
    to: { value: "DAY", help: "last day of logs to read" },
    partition: {
      value: "KIND",
      help: "how the table is partitioned: date, day (2026/11/01), year-month-day or none",
      default: "date",
    },
    listing: {
      value: "FILE",
      help: "output of aws s3 ls --recursive: also print how many bytes the SQL will scan",
    },
    format: {
      value: "FIELDS",
      help: 'the fields of AWS files without a header, such as "version srcaddr dstaddr bytes start end", or of the table',
    },
    nat: {
      value: "INTERFACE",
      repeated: true,
      help: "the interface of a NAT, or none; may be repeated (default: found in the logs)",
    },
    now: {
      value: "NAME",
      help: "what the traffic uses now: nat-gateway, nat-instance, ...",
      default: "nat-gateway",
    },
    region: {
      value: "NAME",
      help: "one region (default: as the logs say, on Azure by the name of the network watcher; else us-east-1 or eastus)",
    },
    ranges: {
      value: "FILE",
      help: "AWS's ip-ranges.json or Azure's ServiceTags_Public.json (default: the lists that ship)",
    },
    results: {
      value: "FILE",
      repeated: true,
      help: "results of egress-bench: what NAT instances were measured to carry; may be repeated",
    },
    "nat-size": {
      value: "SIZE",
      help: "size of every NAT instance, or only of today's, if --now is one (default: as measured, else by the traffic)",
    },
    "nat-term": natTerm,
    prices,
    "write-stack": {
      value: "NAME",
      help: "write the stack NAME and its plan to .egress-bench/stacks/, ready for pulumi up",
    },
    mask: {
      either: true,
      conflicts: ["no-mask"],
      help: "leave out addresses, interfaces and file names; --no-mask: do not (default: leave them out of advice.md only)",
    },
    out: { ...out, help: "where the advice goes" },
    json: { help: "print the advice as JSON" },
  },
  notes: [
    "Give files or directories of one kind, a month's figures (such as --cloud aws --gb 10000), or --sql with --from and --to.",
    "Exit status: 0 advice given; 1 no file or line could be used, or some file could not; 2 wrong usage; 130 interrupted.",
  ],
} as const satisfies Declaration;

const history = {
  name: "history",
  summary: "trends and changes over stored runs",
  description:
    "Shows how figures developed over the runs that local, compare and report kept with --store: trends with intervals, changes of level, and the versions and machines that changed. Writes history.html, history.md and history.csv.",
  options: {
    store: {
      value: "DIR",
      help: "directory of the stored runs, or s3://BUCKET/PREFIX; merge two by copying the files of one into the other",
    },
    out: { ...out, help: "where the history goes" },
    tolerance: { value: "PERCENT", help: "leave out smaller changes of level", default: "5%" },
    export: {
      ...exported,
      help: "also write otava (configuration and data of Apache Otava), benchmark-action or bencher (the newest run); may be repeated",
    },
    otava: { help: "also run otava, which must be installed, and show the changes that it finds" },
    "fail-on-worse": {
      help: "end with 3 if the newest level of a figure is worse than the one before",
    },
    json: { help: "print the changes as JSON" },
  },
  notes: [
    "Series of fewer than 10 runs are shown but not judged. To compare two runs, use report --baseline.",
    "Exit status: 0 history written; 1 the store or Otava could not be used; 2 wrong usage; 3 a figure got worse, with --fail-on-worse.",
  ],
} as const satisfies Declaration;

const contribute = {
  name: "contribute",
  summary: "add runs to the library of results",
  description:
    "Adds runs to the library of results, results/<cloud>/*.json: figures and conditions, without your addresses, hosts, stacks, commands or names (docs/report.md). Nothing is sent: look at the files, then open a pull request.",
  files: "results.json",
  options: {
    out: { ...out, help: "the library's directory", default: "results" },
    print: { help: "print what would be written, and write nothing" },
  },
  notes: ["Exit status: 0 written, or already there; 1 some input could not be used; 2 wrong usage."],
} as const satisfies Declaration;

const natScript = {
  name: "nat script",
  summary: "print a NAT instance's user data",
  description:
    "Prints user data that turns a Debian or Ubuntu machine into a NAT instance, for Terraform, the AWS CDK, Bicep, or whatever else makes the machine. It deploys nothing and needs no account. In the cloud, allow IP forwarding for the machine and make routes to it (docs/library.md).",
  options: {
    cloud: { value: "CLOUD", help: "aws or azure: where the machine runs" },
    ...natSetup,
    format: {
      value: "FORMAT",
      help: "gzip: compressed, in base64; cloud-config: the text of it; script: only the set-up's shell script, without packages, their mirror or your own script (default: gzip for aws, cloud-config for azure)",
    },
    out: { value: "FILE", help: "where to write it (default: standard output)" },
  },
  notes: [
    "Give --cloud and --private-cidrs.",
    "Exit status: 0 printed; 1 it could not be written, or the user data is too long for the cloud; 2 wrong usage.",
  ],
} as const satisfies Declaration;

const natImage = {
  name: "nat image",
  summary: "make a NAT instance's disk image",
  description:
    "Makes a disk image of Debian with everything in it that a NAT instance needs, so that a machine downloads no package when it boots. It deploys and uploads nothing (docs/library.md). Needs root, or sudo without a password. It installs only the programs that make images, such as mmdebstrap and qemu-img.",
  options: {
    ...natSetup,
    "private-cidrs": {
      ...natSetup["private-cidrs"],
      help: "comma-separated IPv4 blocks whose hosts may go out: the machine then sets itself up, unless it gets user data (default: it needs user data)",
    },
    format: { value: "FORMAT", help: "raw, for AWS; vhd, for Azure; qcow2", default: "raw" },
    out: { value: "FILE", help: "where to write it (default: out/nat-image.FORMAT)" },
  },
  notes: ["Exit status: 0 made; 1 it could not be made; 2 wrong usage."],
} as const satisfies Declaration;

const completion = {
  name: "completion",
  summary: "print the shell's completion of commands and options",
  description: 'Prints a script for bash or zsh. Use it by: eval "$(egress-bench completion bash)"',
  files: "bash or zsh",
  options: {},
  notes: ["Exit status: 0 printed; 2 wrong usage."],
} as const satisfies Declaration;

/** Every command, by the name of its npm script. */
export const commands = {
  ...{ local, compare, report, choose, advise, history, contribute },
  ...{ "nat-script": natScript, "nat-image": natImage, completion },
} as const;
