/** The definition of a trial's failure. */
import { KINDS, type Kind, type Machine, type PairLab } from "./lab.ts";

/** A failure of the carrying machine, or of its surroundings. */
export interface Failure {
  readonly name: string;
  /** Preparation before flows begin. */
  readonly before?: (lab: PairLab) => void;
  /**
   * The failure's events, with pauses in between; the trial ends `seconds` after it. It calls `over` at the earliest moment at
   * which the path could be back, if that is later: EC2 answers again, or a machine has booted and begins its set-up.
   */
  readonly happens: (
    lab: PairLab,
    active: Machine,
    standby: Machine,
    over: () => void,
  ) => Promise<void> | void;
  /** @default 3 */
  readonly seconds?: number;
  /** Kinds of flows that must survive. @default all */
  readonly keeps?: readonly Kind[];
  /** Whether it takes CPU from trials that run in parallel. @default false */
  readonly heavy?: true;
}

/** Kinds of flows that must survive a failure. */
export const keptKinds = ({ keeps = KINDS }: Failure): readonly Kind[] => keeps;

/** Has a shell script run in place of a machine's conntrackd, until the lab is healed. */
export function insteadOfConntrackd(lab: PairLab, machine: Machine, script: string): void {
  lab.run(
    machine,
    `cat > /usr/local/sbin/conntrackd <<'END_OF_SCRIPT'
#!/bin/sh
${script}
END_OF_SCRIPT
chmod 755 /usr/local/sbin/conntrackd`,
  );
}
