/**
 * The function that moves private routes, run by this machine's Python through scenarios of many minutes in no time: its own
 * text, in one process for all of a file's questions (`route-switch.py`).
 */
import { spawn } from "node:child_process";
import { createInterface } from "node:readline";
import { fileURLToPath } from "node:url";
import { routeSwitch } from "../../components/aws/operators/route-switch.ts";

/** What happens at a second of a scenario, to last from then on. */
export interface Happening {
  readonly at: number;
  /** What the machine says every 15 s; `null`: nothing, it is dead. */
  readonly machine?: 1 | 0 | null;
  /** A beat besides, between two others. */
  readonly beat?: 1 | 0;
  /** State of the NAT gateway; `null`: there is none. */
  readonly gateway?: string | null;
  /** Requests that fail: by their name, of `replace_route` also by its table. */
  readonly failing?: readonly string[];
  /** Somebody leads a table's route there; `null`: takes it away. */
  readonly route?: Readonly<Record<string, string | null>>;
  /** Seconds until CloudWatch knows a beat. */
  readonly delay?: number;
}

/** One look and what was true after it. */
export interface Look {
  readonly at: number;
  /** By table: where its route leads, `null` where there is none. */
  readonly routes: Readonly<Record<string, string | null>>;
  /** What it said was wrong. */
  readonly problems: readonly string[];
  /** `replace_route` requests that it made. */
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
  /** Seconds of each 15 at which the machine beats. @default 7 */
  readonly phase?: number;
}

/** How one call of the handler went. */
export interface Handled {
  /** Seconds of each of its waits. */
  readonly waits: readonly number[];
  /** What it failed with. */
  readonly error: string | null;
  /** Routes that it moved, by table: where to. */
  readonly moved: Readonly<Record<string, string>>;
}

const CLOUDS = fileURLToPath(new URL("route-switch.py", import.meta.url));

/** A Python that has the function's text. It ends with this process's end of its input. */
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

  /** Looks every 15 s of each scenario. The machine has been well for two minutes before. */
  looksOfEach(scenarios: readonly Scenario[]): Promise<Look[][]> {
    const looks = scenarios.map((one) => ({ seconds: 600, tables: ["rtb-1"], phase: 7, ...one }));
    return this.#answer<Look[][]>({ looks });
  }

  /** {@link looksOfEach} of one. */
  async looksOf(happenings: readonly Happening[], of: Omit<Scenario, "happenings"> = {}): Promise<Look[]> {
    return (await this.looksOfEach([{ happenings, ...of }]))[0] as Look[];
  }

  /**
   * Calls the handler in no time.
   *
   * @param event What it is called with.
   * @param failing Requests that EC2 or CloudWatch refuses, and how many times.
   * @param routes By table: where its route leads.
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
