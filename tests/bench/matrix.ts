/** Cells in the lab: two shards side by side, one killed and resumed, the report of both, and the same without shards. */
import { type ChildProcess, execFileSync, spawn } from "node:child_process";
import { once } from "node:events";
import {
  copyFileSync,
  existsSync,
  mkdirSync,
  mkdtempSync,
  readdirSync,
  readFileSync,
  rmSync,
  symlinkSync,
  writeFileSync,
} from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { fileURLToPath } from "node:url";
import { CreateBucketCommand, S3Client } from "@aws-sdk/client-s3";
import { stringify } from "yaml";
import { resultsSchema } from "../../bench/results/index.ts";
import { freshCheckout } from "../helpers/checkout.ts";
import { freePort } from "../helpers/ports.ts";

const root = fileURLToPath(new URL("../../", import.meta.url));
const connect = { cases: [{ tool: "connect", durationSeconds: 1 }] };
const four = { topologies: ["direct", "nat-instance"], tuning: ["none", "throughput"] };

interface Shards {
  /** Directory of the matrix's file and its measurements. */
  readonly directory: string;
  readonly backend: string;
  readonly axes: Readonly<Record<string, readonly unknown[]>>;
  /** The checkouts of the two shards. */
  readonly clones: readonly [string, string];
  readonly environment: Readonly<Record<string, string>>;
}

/** Four cells in two clones against moto's S3, and the same without shards. moto comes from PyPI, into a venv of this run. */
export async function matrixInS3(): Promise<string[]> {
  const directory = mkdtempSync(join(tmpdir(), "egress-bench-matrix-"));
  const venv = join(directory, "venv");
  execFileSync("python3", ["-m", "venv", venv]);
  const install = ["-m", "pip", "install", "--quiet", "--disable-pip-version-check", "moto[server]==5.2.5"];
  execFileSync(`${venv}/bin/python`, install, { stdio: "pipe" });
  const port = await freePort();
  const server = spawn(`${venv}/bin/moto_server`, ["-H", "127.0.0.1", "-p", `${port}`], { stdio: "ignore" });
  try {
    const environment = {
      ...{ AWS_ACCESS_KEY_ID: "moto", AWS_SECRET_ACCESS_KEY: "moto", AWS_REGION: "us-east-1" },
      PULUMI_CONFIG_PASSPHRASE: "moto",
    };
    await bucket(port);
    const clones = [cloneIn(join(directory, "one")), cloneIn(join(directory, "two"))] as const;
    const backend = `s3://bench?endpoint=127.0.0.1:${port}&disableSSL=true&s3ForcePathStyle=true&region=us-east-1`;
    return await inShards({ directory, backend, clones, axes: four, environment });
  } finally {
    server.kill();
    rmSync(directory, { recursive: true, force: true });
  }
}

/** Makes the bucket as soon as the server answers. */
async function bucket(port: number): Promise<void> {
  const client = new S3Client({
    ...{ region: "us-east-1", endpoint: `http://127.0.0.1:${port}`, forcePathStyle: true, maxAttempts: 20 },
    credentials: { accessKeyId: "moto", secretAccessKey: "moto" },
  });
  await client.send(new CreateBucketCommand({ Bucket: "bench" }));
  client.destroy();
}

/** A checkout of its own, with this one's packages and tools. */
function cloneIn(directory: string): string {
  freshCheckout(directory);
  mkdirSync(join(directory, ".egress-bench"), { recursive: true });
  for (const name of ["node_modules", ".tools"].filter((one) => existsSync(join(root, one)))) {
    symlinkSync(join(root, name), join(directory, name));
  }
  for (const name of readdirSync(join(root, ".egress-bench")).filter((one) => one.startsWith("passphrase"))) {
    copyFileSync(join(root, ".egress-bench", name), join(directory, ".egress-bench", name));
  }
  return directory;
}

async function inShards(args: Shards): Promise<string[]> {
  const { directory, backend, axes, clones } = args;
  const file = join(directory, "matrix.yaml");
  writeFileSync(
    file,
    stringify({ name: "bench", defaults: { cloud: "local", plan: connect }, axes, backend }),
  );
  const lines: string[] = [];
  // A process group of its own, so that it is killed with its engine, as when a machine dies.
  const start = (cwd: string, ...more: string[]) => {
    const env = { ...process.env, ...args.environment };
    return spawn(process.execPath, ["cli/main.ts", "compare", "--matrix", file, ...more], {
      ...{ cwd, env, detached: true, stdio: "ignore" },
    });
  };
  const timed = async (title: string, started: ChildProcess) => {
    const since = performance.now();
    const [code] = await once(started, "close");
    lines.push(`${title}: status ${code}, ${((performance.now() - since) / 1000).toFixed(0)} s`);
  };
  const out = (name: string) => join(directory, name);
  try {
    const shard = (index: number) => ["--shard", `${index}/2`, "--out", out(`out-${index}`)];
    const first = timed("shard 1/2", start(clones[0], ...shard(1)));
    const killed = start(clones[1], ...shard(2));
    while (measuredIn(out("out-2")).length === 0 && killed.exitCode === null) {
      await new Promise((resolve) => setTimeout(resolve, 500));
    }
    const ended = timed("shard 2/2, killed after its first cell", killed);
    process.kill(-(killed.pid ?? 0), "SIGKILL");
    await ended;
    await timed("shard 2/2, resumed", start(clones[1], ...shard(2), "--resume"));
    await first;
    const report = ["cli/main.ts", "report", out("out-1"), out("out-2"), "--out", out("out")];
    await timed("one report", spawn(process.execPath, report, { cwd: clones[0], stdio: "ignore" }));
    const count = Object.values(axes).reduce((product, values) => product * values.length, 1);
    const cells = [...measuredIn(out("out-1")), ...measuredIn(out("out-2"))].length;
    lines.push(`cells in the report: ${cells} of ${count}`);
    await timed("all without shards", start(clones[0], "--out", out("whole")));
    const isEqual =
      reportedIn(out("out"), [out("out-1"), out("out-2")]) === reportedIn(out("whole"), [out("whole")]);
    lines.push(
      `the report of both and the one without shards, figures aside: ${isEqual ? "equal" : "OTHER"}`,
    );
    return lines;
  } finally {
    await once(start(clones[0], "--down"), "close");
  }
}

function measuredIn(directory: string): string[] {
  return !existsSync(directory)
    ? []
    : readdirSync(directory)
        .filter((name) => /-[0-9a-f]{8}\.json$/.test(name))
        .sort();
}

/** Measurements per cell with their end, and the report's table of figures by name: everything but the figures. */
function reportedIn(directory: string, measuring: readonly string[]): string {
  const files = measuring.flatMap((one) => measuredIn(one).map((name) => join(one, name)));
  const cells = files.map((file) => {
    const { stack, matrixCell, plan, cases } = resultsSchema.parse(JSON.parse(readFileSync(file, "utf8")));
    return {
      stack,
      matrixCell,
      plan: plan.cases,
      ran: cases.map(({ id, topology, status }) => [id, topology, status]),
    };
  });
  const csv = readFileSync(join(directory, "report.csv"), "utf8").split("\n");
  const named = csv.map((line) => line.split(",").slice(0, 2).join(","));
  cells.sort((a, b) => (a.stack < b.stack ? -1 : 1));
  return JSON.stringify({ cells, head: csv[0], named: named.sort() });
}
