/** Chooses the cells to start next, by quota tokens, width, and budget. Pure. */

/** A cell's use of a limited resource while its stack is deployed. */
export interface Token {
  /** Name, such as `aws us-east-1 L-1216C47A`. */
  readonly pool: string;
  readonly amount: number;
}

/** The scheduler's view of a cell. */
export interface Task {
  readonly name: string;
  /** Expected cost in USD, from up to down. */
  readonly usd: number;
  /** Expected time, from up to down. */
  readonly seconds: number;
  readonly tokens: readonly Token[];
}

/** Bounds of a matrix. */
export interface Bounds {
  /** Most concurrent cells. */
  readonly maxParallel: number;
  /** Total budget in USD; null: no bound. */
  readonly budgetUsd: number | null;
  /** Tokens by pool; a missing pool has no bound. */
  readonly limits: ReadonlyMap<string, number>;
}

/** The state of a matrix run. */
interface Situation<T extends Task = Task> {
  readonly waiting: readonly T[];
  readonly running: readonly Task[];
  /** USD spent by ended cells and, so far, by running ones. */
  readonly spentUsd: number;
  /** USD that running cells are still expected to cost. */
  readonly committedUsd: number;
}

/**
 * The cells to start now, in their order. A cell that waits for a pool's tokens closes the pool to later cells, so
 * that a large one gets its turn.
 */
export function decide<T extends Task>(situation: Situation<T>, bounds: Bounds) {
  const start: T[] = [];
  /** Cells that can never start, with reasons. */
  const never: { readonly task: T; readonly why: string }[] = [];
  const closed = new Set<string>();
  const used = new Map<string, number>();
  const take = ({ tokens }: Task) => {
    for (const { pool, amount } of tokens) {
      used.set(pool, (used.get(pool) ?? 0) + amount);
    }
  };
  situation.running.forEach(take);
  let planned = situation.spentUsd + situation.committedUsd;
  for (const task of situation.waiting) {
    const tooMuch = beyond(task, bounds.limits);
    if (tooMuch !== null) {
      never.push({ task, why: tooMuch });
      continue;
    }
    if (bounds.budgetUsd !== null && planned + task.usd > bounds.budgetUsd) {
      // Running cells may turn out cheaper than planned.
      if (situation.running.length + start.length === 0) {
        never.push({
          task,
          why: `it may cost ${task.usd.toFixed(2)} USD; ${situation.spentUsd.toFixed(2)} of ${bounds.budgetUsd.toFixed(2)} USD are spent`,
        });
      }
      continue;
    }
    const isBlocked = task.tokens.some(
      ({ pool, amount }) =>
        closed.has(pool) ||
        (used.get(pool) ?? 0) + amount > (bounds.limits.get(pool) ?? Number.POSITIVE_INFINITY),
    );
    if (isBlocked || situation.running.length + start.length >= bounds.maxParallel) {
      for (const { pool } of task.tokens) {
        closed.add(pool);
      }
      continue;
    }
    start.push(task);
    take(task);
    planned += task.usd;
  }
  return { start, never };
}

function beyond({ tokens }: Task, limits: Bounds["limits"]): string | null {
  const first = tokens.find(({ pool, amount }) => amount > (limits.get(pool) ?? Number.POSITIVE_INFINITY));
  return first === undefined
    ? null
    : `it takes ${first.amount} of ${first.pool}, whose limit is ${limits.get(first.pool)}`;
}

/** Seconds from the first cell's start to the last one's end, if each takes as long as expected. */
export function expectedSeconds(tasks: readonly Task[], bounds: Bounds): number {
  let waiting = tasks;
  let running: { readonly task: Task; readonly end: number }[] = [];
  let now = 0;
  for (;;) {
    const { start, never } = decide(
      { waiting, running: running.map(({ task }) => task), spentUsd: 0, committedUsd: 0 },
      { ...bounds, budgetUsd: null },
    );
    const gone = new Set([...start, ...never.map(({ task }) => task)]);
    waiting = waiting.filter((task) => !gone.has(task));
    running = [...running, ...start.map((task) => ({ task, end: now + task.seconds }))];
    if (running.length === 0) {
      return now;
    }
    now = Math.min(...running.map(({ end }) => end));
    running = running.filter(({ end }) => end > now);
  }
}
