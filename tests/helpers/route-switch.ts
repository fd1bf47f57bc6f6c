/**
 * Runs the function that moves private routes through scenarios of many minutes, in simulated time: its own text in this
 * machine's Python, in one process for a whole file (`route-switch.py`).
 */
import { spawn } from "node:child_process";
import { createInterface } from "node:readline";
import { fileURLToPath } from "node:url";
import { routeSwitch } from "../../components/aws/operators/route-switch-function.ts";

/** A change at a second of a scenario, which lasts from then on. */
export interface Happening {
  readonly at: number;
  /** The machine's report every 15 s; `null`: none, it is dead. */
  readonly machine?: 1 | 0 | null;
  /** An additional report between two others. */
  readonly beat?: 1 | 0;
  /** State of the NAT gateway; `null`: missing. */
  readonly gateway?: string | null;
  /** Failing requests, by name; for `replace_route` also by table. */
  readonly failing?: readonly string[];
  /** Points a table's route there by hand; `null`: removes it. */
  readonly route?: Readonly<Record<string, string | null>>;
  /** Seconds until CloudWatch shows a report. */
  readonly delay?: number;
}

/** One check and the state after it. */
export interface Look {
  readonly at: number;
  /** Route target by table, `null` without a route. */
  readonly routes: Readonly<Record<string, string | null>>;
  readonly problems: readonly string[];
  /** Number of its `replace_route` requests. */
  readonly requests: number;
}

export const INTERFACE = "eni-1";
export const GATEWAY = "nat-1";

interface Scenario {
  readonly happenings: readonly Happening[];
  /** @default 600 */
  readonly seconds?: number;
  /** @default rtb-1 */
  readonly tables?: readonly string[];
  /** Second of each 15 at which the machine reports. @default 7 */
  readonly phase?: number;
}

/** Outcome of one call of the handler. */
export interface Handled {
  readonly waits: readonly number[];
  readonly error: string | null;
  /** Moved routes: new target by table. */
  readonly moved: Readonly<Record<string, string>>;
}

const CLOUDS = fileURLToPath(new URL("route-switch.py", import.meta.url));

/** A Python process with the function's text. It ends when this process closes its input. */
export class RouteSwitch {
  readonly #python = spawn("python3", [CLOUDS], { stdio: ["pipe", "pipe", "pipe"] });
  readonly #lines = createInterface({ input: this.#python.stdout })[Symbol.asyncIterator]();
  #said = "";

  constructor() {
    this.#python.stderr.setEncoding("utf8").on("data", (text: string) => {
      this.#said += text;
    });
    this.#write({ program: routeSwitch(), interface: INTERFACE, gateway: GATEWAY });
  }

  /** Checks every 15 s of each scenario. Before it the machine has been healthy for two minutes. */
  looksOfEach(scenarios: readonly Scenario[]): Promise<Look[][]> {
    const looks = scenarios.map((one) => ({ seconds: 600, tables: ["rtb-1"], phase: 7, ...one }));
    return this.#answer<Look[][]>({ looks });
  }

  /** {@link looksOfEach} for one scenario. */
  async looksOf(happenings: readonly Happening[], of: Omit<Scenario, "happenings"> = {}): Promise<Look[]> {
    return (await this.looksOfEach([{ happenings, ...of }]))[0] as Look[];
  }

  /**
   * Calls the handler in simulated time.
   *
   * @param event Its argument.
   * @param failing Requests that EC2 or CloudWatch refuses, and how many times.
   * @param routes Route target by table.
   */
  handled(
    event: object,
    failing: Readonly<Record<string, number>> = {},
    routes: Readonly<Record<string, string>> = {},
  ): Promise<Handled> {
    return this.#answer<Handled>({ handler: { event, failing, routes } });
  }

  end(): void {
    this.#python.stdin.end();
  }

  #write(line: object): void {
    this.#python.stdin.write(`${JSON.stringify(line)}\n`);
  }

  async #answer<T>(question: object): Promise<T> {
    this.#write(question);
    const { value, done } = await this.#lines.next();
    if (done) throw new Error(`python3 ended without an answer; it said:\n${this.#said}`);
    return JSON.parse(value) as T;
  }
}
