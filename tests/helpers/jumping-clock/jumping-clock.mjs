// Sets a Node process's wall clock an hour ahead after its first second, and back after its third, again and again. Its
// monotonic clock stays.
import { performance } from "node:perf_hooks";

const unmoved = Date.now;
const ahead = () => (performance.now() % 4000 > 1000 && performance.now() % 4000 < 3000 ? 3_600_000 : 0);
globalThis.Date = class extends Date {
  constructor(...args) {
    super(...(args.length === 0 ? [unmoved() + ahead()] : args));
  }
  static now() {
    return unmoved() + ahead();
  }
};
