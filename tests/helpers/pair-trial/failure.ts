/** What a failure of a trial is. */
import { KINDS, type Kind, type Machine, type PairLab } from "./lab.ts";

/** A failure of the machine that carries, or of what is around it. */
export interface Failure {
  readonly name: string;
  /** What is made ready before flows begin. */
  readonly before?: (lab: PairLab) => void;
  /**
   * What happens, with pauses in between; the trial ends `seconds` after it. It calls `over` where the path could not be back before
   * that moment: EC2 answers again, or a machine has booted and begins its set-up.
   */
  readonly happens: (
    lab: PairLab,
    active: Machine,
    standby: Machine,
    over: () => void,
  ) => Promise<void> | void;
  /** @default 3 */
  readonly seconds?: number;
  /** Kinds of flows that have to survive. @default all */
  readonly keeps?: readonly Kind[];
  /** Whether it takes the processor from trials that run beside it. @default false */
  readonly heavy?: true;
}

/** Kinds of flows that have to survive a failure. */
export const keptKinds = ({ keeps = KINDS }: Failure): readonly Kind[] => keeps;
