/** Eight cells in the lab: two shards side by side, one killed and resumed, and what they merge to. */
import { type ChildProcess, spawn } from "node:child_process";
import { once } from "node:events";
import { existsSync, mkdtempSync, readdirSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { stringify } from "yaml";

const connect = { cases: [{ tool: "connect", durationSeconds: 1 }] };
const axes = { topologies: ["direct", "nat-instance"], tuning: ["none", "throughput"], pairs: [1, 2] };

/** How long each part takes, how it ends, and how many cells are merged. */
export async function matrixInShards(): Promise<string[]> {
  const directory = mkdtempSync(join(tmpdir(), "egress-bench-matrix-"));
  const file = join(directory, "matrix.yaml");
  const backend = `file://${directory}`;
  writeFileSync(
    file,
    stringify({ name: "bench", defaults: { cloud: "local", plan: connect }, axes, backend }),
  );
  const lines: string[] = [];
  // A group of its own, so that it is killed with its engine, as when a machine dies.
  const start = (...args: string[]) =>
    spawn(process.execPath, ["cli/compare.ts", "--matrix", file, ...args], {
      detached: true,
      stdio: "ignore",
    });
  const timed = async (title: string, started: ChildProcess) => {
    const since = performance.now();
    const [code] = await once(started, "close");
    lines.push(`${title}: status ${code}, ${((performance.now() - since) / 1000).toFixed(0)} s`);
  };
  try {
    const shard = (index: number) => ["--shard", `${index}/2`, "--out", join(directory, `out-${index}`)];
    const first = timed("shard 1/2", start(...shard(1)));
    const killed = start(...shard(2));
    while (measuredIn(join(directory, "out-2")) === 0) {
      await new Promise((resolve) => setTimeout(resolve, 500));
    }
    const ended = timed("shard 2/2, killed after its first cell", killed);
    process.kill(-(killed.pid ?? 0), "SIGKILL");
    await ended;
    await timed("shard 2/2, resumed", start(...shard(2), "--resume"));
    await first;
    const merge = ["--merge", join(directory, "out-1"), "--merge", join(directory, "out-2")];
    await timed("merged", start(...merge, "--out", join(directory, "out")));
    lines.push(`cells in the merged report: ${measuredIn(join(directory, "out"))} of 8`);
    return lines;
  } finally {
    await once(start("--down"), "close");
    rmSync(directory, { recursive: true, force: true });
  }
}

function measuredIn(directory: string): number {
  return !existsSync(directory)
    ? 0
    : readdirSync(directory).filter((name) => /-[0-9a-f]{8}\.json$/.test(name)).length;
}
