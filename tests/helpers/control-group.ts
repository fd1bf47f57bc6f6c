/** A control group of a test's own, version 1 or 2: what its processes together may have, or whether they are frozen. */
import { existsSync, mkdirSync, readFileSync, rmdirSync, writeFileSync } from "node:fs";

/** Files of each controller, of version 1 and 2. */
const FILES = {
  memory: ["memory.limit_in_bytes", "memory.max"],
  pids: ["pids.max", "pids.max"],
  freezer: ["freezer.state", "cgroup.freeze"],
} as const;
const isV1 = existsSync("/sys/fs/cgroup/memory");

export interface ControlGroup {
  /** Words of a program that joins the group, and runs what follows. */
  readonly by: readonly string[];
  /** @param limit Bytes, or processes. @default none */
  readonly make: (limit?: number) => void;
  readonly join: (pids: readonly number[]) => void;
  /** Sets the limit; of a freezer 1 or 0. */
  readonly set: (value: number) => void;
  readonly size: () => number;
  /** Gives its processes back, and removes it. */
  readonly end: () => void;
}

export function controlGroup(controller: keyof typeof FILES, name: string): ControlGroup {
  const root = isV1 ? `/sys/fs/cgroup/${controller}` : "/sys/fs/cgroup";
  const directory = `${root}/egress-bench-${name}-${process.pid}`;
  const processes = `${directory}/cgroup.procs`;
  const [v1, v2] = FILES[controller];
  const move = (pids: readonly (number | string)[], to: string) => {
    for (const pid of pids) writeFileSync(to, String(pid));
  };
  const set = (value: number) =>
    v1 === "freezer.state" && isV1
      ? writeFileSync(`${directory}/${v1}`, value === 1 ? "FROZEN" : "THAWED")
      : writeFileSync(`${directory}/${isV1 ? v1 : v2}`, String(value));
  return {
    by: ["sh", "-c", `echo $$ > ${processes}; exec "$@"`, "sh"],
    make: (limit) => {
      if (!isV1 && controller !== "freezer")
        writeFileSync(`${root}/cgroup.subtree_control`, `+${controller}`);
      mkdirSync(directory);
      if (limit !== undefined) set(limit);
    },
    join: (pids) => move(pids, processes),
    set,
    size: () => Number(readFileSync(`${directory}/pids.current`, "utf8")),
    end: () => {
      move(readFileSync(processes, "utf8").split("\n").filter(Boolean), `${root}/cgroup.procs`);
      rmdirSync(directory);
    },
  };
}
