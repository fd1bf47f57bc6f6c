import fc from "fast-check";
import { expect, it } from "vitest";
import { pool } from "../../../cli/compare/pool.ts";

it("runs each once, as many at a time as are allowed and no more, and keeps their order", async () => {
  await fc.assert(
    fc.asyncProperty(
      fc.array(fc.integer({ min: 0, max: 3 }), { maxLength: 12 }),
      fc.integer({ min: 1, max: 5 }),
      async (turns, width) => {
        let [running, most] = [0, 0];
        const started: number[] = [];
        const jobs = turns.map((count, index) => async () => {
          started.push(index);
          most = Math.max(most, ++running);
          for (let turn = 0; turn <= count; turn++) {
            await Promise.resolve();
          }
          running--;
          return index;
        });
        expect(await pool(jobs, width)).toEqual(turns.map((_, index) => index));
        expect(started).toEqual(turns.map((_, index) => index));
        expect(most).toBe(Math.min(width, turns.length));
      },
    ),
  );
});
