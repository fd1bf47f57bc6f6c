/** Fills the program's parts into components' arguments. */

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
