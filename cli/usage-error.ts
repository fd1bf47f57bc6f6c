/** An invalid command line. The message names the option, the value and what is allowed. */
export class UsageError extends Error {
  override readonly name = "UsageError";
}
