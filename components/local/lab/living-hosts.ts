/**
 * Finds lab hosts. The process list is the only record, and of it only what root alone can make: a process is not taken
 * for a host by its words.
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

/** A host that runs now. */
export interface LivingHost {
  readonly lab: string;
  readonly host: string;
  /** Tells one life of a host from the next. */
  readonly generation: string;
  /** On 127.0.0.1. */
  readonly sshPort: number;
  /** The process that holds it, as the machine counts. */
  readonly holder: number;
  /** When the holder started, in clock ticks since the machine's boot. */
  readonly startTime: string;
}

/** All hosts of all labs that run on this machine. Needs root, who alone can tell them from imitations. */
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

/** @returns undefined when it does not run. */
export function findHost(lab: string, host: string): LivingHost | undefined {
  return livingHosts().find((living) => living.lab === lab && living.host === host);
}

/** The first process inside a host, the door to its namespaces. @throws {Error} when the host is gone. */
export function initProcess(lab: string, host: string): Process {
  const living = findHost(lab, host);
  const init = living && firstChild(living.holder);
  if (init === undefined) {
    throw new Error(`Host "${host}" of lab "${lab}" is not running; \`pulumi up\` makes it anew.`);
  }
  return init;
}
