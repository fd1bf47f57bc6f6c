/** A person's consent to actions that cost money, take long, or destroy something. */
import { UsageError } from "../usage-error.ts";
import type { CommandIo } from "./request.ts";

/** Asks once per reason. @throws {UsageError} when consent is needed and not given */
export type Agree = (why: string) => Promise<void>;

/** @param ask Null: no person can be asked. */
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
