/** A person's consent to what costs, takes long, or ends what is there. */
import { UsageError } from "../usage-error.ts";
import type { CommandIo } from "./request.ts";

/** Asks once a reason. @throws {UsageError} when somebody must agree and nobody does */
export type Agree = (why: string) => Promise<void>;

/** @param ask Null: there is nobody to ask. */
export function agreement({ yes }: { readonly yes: boolean }, ask: CommandIo["ask"]): Agree {
  return async (why) => {
    if (yes) {
      return;
    }
    if (ask === null) {
      throw new UsageError(`${why}: nothing was changed; agree with --yes`);
    }
    if (!(await ask(`Go on, though ${why}? [y/N] `))) {
      throw new UsageError("not agreed to; nothing was changed");
    }
  };
}
