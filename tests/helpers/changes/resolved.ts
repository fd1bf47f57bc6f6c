/** Arguments of components whose parts a program makes. */

/** The arguments with what the program makes in place of its names, `@...`; `null` leaves one out. */
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
