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

/** The arguments with the program's parts in place of their names, `@...`; `null` removes one. */
export function resolved(value: unknown, known: Readonly<Record<string, () => unknown>>): unknown {
  if (typeof value === "string" && value.startsWith("@")) {
    return (known[value] as () => unknown)();
  }
  if (Array.isArray(value)) {
    return value.map((one) => resolved(one, known));
  }
  return typeof value === "object" && value !== null
    ? Object.fromEntries(
        Object.entries(value).map(([key, one]) => [key, one === null ? undefined : resolved(one, known)]),
      )
    : value;
}
