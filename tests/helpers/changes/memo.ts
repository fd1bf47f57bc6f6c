/** What a program makes of a name, once. */
type Makers = Readonly<Record<string, () => unknown>>;

/** The same makers, each of which makes its thing at its first call alone. */
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
