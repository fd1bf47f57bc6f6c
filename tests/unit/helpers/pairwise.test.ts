import fc from "fast-check";
import { expect, it } from "vitest";
import { pairwise } from "../../helpers/pairwise.ts";

it("covers each two values of different parameters in fewer combinations than all", () => {
  const sizes = fc.array(fc.integer({ min: 1, max: 4 }), { minLength: 1, maxLength: 6 });
  fc.assert(
    fc.property(sizes, (counts) => {
      const parameters = Object.fromEntries(counts.map((count, at) => [`p${at}`, [...Array(count).keys()]]));
      const rows = pairwise(parameters);
      const names = Object.keys(parameters);
      for (const one of names) {
        for (const other of names.filter((name) => name !== one)) {
          for (const a of parameters[one] as number[]) {
            for (const b of parameters[other] as number[]) {
              expect(rows.some((row) => row[one] === a && row[other] === b)).toBe(true);
            }
          }
        }
      }
      expect(rows.length).toBeLessThanOrEqual(counts.reduce((product, count) => product * count, 1));
    }),
  );
});
