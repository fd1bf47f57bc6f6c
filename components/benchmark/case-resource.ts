/**
 * Name of a case's resource, and the text that marks a repetition as not needed. Imports no Pulumi, which takes longer to
 * load than a command that only refuses.
 */

/**
 * Name of the resource that measures a case, unique within the stack; one per pair. @param pair Number of the pair, from 0.
 */
export function caseResourceName(path: string, caseId: string, repetition: number, pair = 0): string {
  const round = repetition > 1 ? [repetition] : [];
  return [path, caseId, ...round, ...(pair > 0 ? [`pair-${pair + 1}`] : [])].join(":");
}

/** Text in the state for a repetition that was not needed. */
const SETTLED = "not needed: the repetitions before agree";

/**
 * Command that prints {@link SETTLED}. It reads its unused input: the command plugin fails a command whose input it could
 * not send ("EOF"), and whether unread input is sent in time is chance.
 */
export const SETTLING = `cat >/dev/null; echo ${SETTLED}`;

/**
 * Whether a command's output says that its repetition was not needed. `stdout` is undefined where an update left the
 * command out.
 */
export function isSettledText(stdout: string | undefined): boolean {
  return stdout?.trim() === SETTLED;
}
