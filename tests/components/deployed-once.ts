/**
 * Deployments that tests only read, each made once: files of this project run in one process and see the same ones. A
 * refusal is kept as well.
 *
 * @param options Where it is deployed otherwise than usual, all as JSON.
 */
export function deployedOnce<Options extends object, Stack>(
  usual: Required<Options>,
  deploy: (topologies: readonly Record<string, unknown>[], options: Required<Options>) => Promise<Stack>,
): (topologies: readonly Record<string, unknown>[], options?: Options) => Promise<Stack> {
  const made = new Map<string, Promise<Stack>>();
  return (topologies, options) => {
    const all = { ...usual, ...options };
    const key = JSON.stringify([topologies, ...Object.keys(usual).map((name) => all[name as keyof Options])]);
    const known = made.get(key) ?? deploy(topologies, all);
    made.set(key, known);
    return known;
  };
}
