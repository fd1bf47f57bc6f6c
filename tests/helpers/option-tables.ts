/** Splits a combination: settings of the stack, which begin with a dot, its pairs, and options of the topology. */
export function partsOf(combination: Readonly<Record<string, unknown>>) {
  const { ".pairs": pairs = 1, ...rest } = combination;
  const entries = Object.entries(rest);
  return {
    pairs: pairs as number,
    settings: Object.fromEntries(
      entries.flatMap(([name, value]) => (name.startsWith(".") ? [[name.slice(1), value]] : [])),
    ),
    options: Object.fromEntries(entries.filter(([name]) => !name.startsWith("."))),
  };
}
