/**
 * Finds lab hosts. The process list is the only record, and only processes that root alone can make count: a command line
 * proves nothing.
 */
import { HOST_MARK } from "./host-init.ts";
import {
  commandLine,
  firstChild,
  isUnshareOfRoot,
  type Process,
  processIds,
  startTime,
} from "./processes.ts";

export interface LivingHost {
  readonly lab: string;
  readonly host: string;
  /** Id of this start of the host; the next start has another. */
  readonly generation: string;
  /** SSH port on 127.0.0.1. */
  readonly sshPort: number;
  /** Process id on the machine of the host's first process. */
  readonly holder: number;
  /** Start time of the holder, in clock ticks since the machine's boot. */
  readonly startTime: string;
}

/** All running hosts of all labs on this machine. Needs root, which alone can tell them from imitations. */
export function livingHosts(): LivingHost[] {
  return processIds().flatMap((pid) => {
    const argv = commandLine(pid);
    const mark = argv.indexOf(HOST_MARK);
    const [lab, host, generation, port] = argv.slice(mark + 1);
    if (mark < 0 || !lab || !host || !generation || !port) {
      return [];
    }
    const started = startTime(pid);
    return started !== undefined && isUnshareOfRoot(pid)
      ? [{ lab, host, generation, sshPort: Number(port), holder: pid, startTime: started }]
      : [];
  });
}

/** A running host. @returns undefined when it does not run. */
export function findHost(lab: string, host: string): LivingHost | undefined {
  return livingHosts().find((living) => living.lab === lab && living.host === host);
}

/** The first process inside a host, whose namespaces commands enter. @throws {Error} when the host is gone. */
export function initProcess(lab: string, host: string): Process {
  const living = findHost(lab, host);
  const init = living && firstChild(living.holder);
  if (init === undefined) {
    throw new Error(`Host "${host}" of lab "${lab}" is not running; \`pulumi up\` makes it anew.`);
  }
  return init;
}
