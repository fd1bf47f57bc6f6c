/** What the tests of a file, or of a `describe`, share: made before the first of them, and ended after the last. */
import { afterAll, beforeAll } from "vitest";

export function shared<T extends object>(make: () => T | Promise<T>, end: (made: T) => unknown): T {
  let made: T | undefined;
  beforeAll(async () => {
    made = await make();
  });
  afterAll(async () => {
    if (made !== undefined) await end(made);
  });
  return new Proxy({} as T, {
    get: (_, key) => {
      if (made === undefined)
        throw new Error("What tests share is made before the first of them, and not before.");
      const value = Reflect.get(made, key);
      return typeof value === "function" ? value.bind(made) : value;
    },
  });
}
