/** A control group of a test's own, version 1 or 2, whose processes together have no more memory than it allows. */
import { existsSync, mkdirSync, readFileSync, rmdirSync, writeFileSync } from "node:fs";

const V1 = "/sys/fs/cgroup/memory";
const isV1 = existsSync(V1);
const ROOT = isV1 ? V1 : "/sys/fs/cgroup";

export interface MemoryGroup {
  /** Words of a program that joins the group, and runs what follows. */
  readonly by: readonly string[];
  readonly make: () => void;
  readonly join: (pids: readonly number[]) => void;
  /** Gives its processes back, and removes it. */
  readonly end: () => void;
}

export function memoryGroup(name: string, megabytes: number): MemoryGroup {
  const directory = `${ROOT}/egress-bench-${name}-${process.pid}`;
  const processes = `${directory}/cgroup.procs`;
  const move = (pids: readonly (number | string)[], to: string) => {
    for (const pid of pids) writeFileSync(to, String(pid));
  };
  return {
    by: ["sh", "-c", `echo $$ > ${processes}; exec "$@"`, "sh"],
    make: () => {
      if (!isV1) writeFileSync(`${ROOT}/cgroup.subtree_control`, "+memory");
      mkdirSync(directory);
      writeFileSync(
        `${directory}/${isV1 ? "memory.limit_in_bytes" : "memory.max"}`,
        String(megabytes * 2 ** 20),
      );
    },
    join: (pids) => move(pids, processes),
    end: () => {
      move(readFileSync(processes, "utf8").split("\n").filter(Boolean), `${ROOT}/cgroup.procs`);
      rmdirSync(directory);
    },
  };
}
