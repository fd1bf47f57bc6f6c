/** Makers of a program's parts, by name. */
type Makers = Readonly<Record<string, () => unknown>>;

/** The same makers, each of which runs at its first call only. */
export function eachOnce(makers: Makers): Makers {
  const made = new Map<string, unknown>();
  const once = (name: string, make: () => unknown) => () => {
    if (!made.has(name)) {
      made.set(name, make());
    }
    return made.get(name);
  };
  return Object.fromEntries(Object.entries(makers).map(([name, make]) => [name, once(name, make)]));
}
