/**
 * Name of a case's resource, and the word that it leaves where nothing was measured. Without Pulumi, which takes
 * longer to load than a command that only refuses.
 */

/** Name of the resource that measures a case, unique within the stack; one a pair. @param pair From 0. */
export function caseResourceName(path: string, caseId: string, repetition: number, pair = 0): string {
  const round = repetition > 1 ? [repetition] : [];
  return [path, caseId, ...round, ...(pair > 0 ? [`pair-${pair + 1}`] : [])].join(":");
}

/** Text in the state for a repetition that was not needed. */
const SETTLED = "not needed: the repetitions before agree";

/**
 * The command that leaves it there. It reads its input, of which it has no use: the command plugin fails a command whose
 * input it could not send ("EOF"), and whether a short one that nobody reads is sent in time is chance.
 */
export const SETTLING = `cat >/dev/null; echo ${SETTLED}`;

/** Whether a command's output says that its repetition was not needed. Undefined: an update that left the command out. */
export function isSettledText(stdout: string | undefined): boolean {
  return stdout?.trim() === SETTLED;
}
