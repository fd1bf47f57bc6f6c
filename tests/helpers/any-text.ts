/** Texts for property tests. */
import fc from "fast-check";

const SURROGATES = { first: 0xd800, count: 0x800 } as const;

/**
 * A text of any code points except lone surrogates. fast-check's own `unit: "binary"` first makes a table of all of them, which
 * takes more than a second.
 */
export function anyText(length: Omit<fc.StringConstraints, "unit"> = {}): fc.Arbitrary<string> {
  const unit = fc
    .integer({ min: 0, max: 0x10ffff - SURROGATES.count })
    .map((n) => String.fromCodePoint(n < SURROGATES.first ? n : n + SURROGATES.count));
  return fc.string({ ...length, unit });
}
