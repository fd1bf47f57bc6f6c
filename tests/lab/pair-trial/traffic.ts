/** The client's flows in a trial, held by `traffic.py`. */
import { spawn } from "node:child_process";
import { createInterface } from "node:readline";
import { initProcess } from "../../../components/local/lab/living-hosts.ts";
import type { Outcome } from "./lab.ts";

/** The flow program in the client's network. */
export class Traffic {
  readonly #process: ReturnType<typeof spawn>;
  readonly #lines: AsyncIterator<string>;

  readonly flows: number;

  constructor(lab: string, server: string, flows: number) {
    this.flows = flows;
    const { pid } = initProcess(lab, "client");
    const file = new URL("./traffic.py", import.meta.url).pathname;
    this.#process = spawn("nsenter", ["-t", String(pid), "-n", "python3", file, server, String(flows)], {
      stdio: ["pipe", "pipe", "inherit"],
    });
    this.#lines = createInterface({ input: this.#process.stdout as NodeJS.ReadableStream })[
      Symbol.asyncIterator
    ]();
  }

  async #next(): Promise<string> {
    const { value, done } = await this.#lines.next();
    if (done) throw new Error("The client's program of flows has ended.");
    return value;
  }

  /** Opens the flows. */
  async begin(): Promise<void> {
    this.#process.stdin?.write("begin\n");
    await this.#next();
  }

  /** Ends the trial and returns the outcome. @param wait Seconds that flows may need for an answer; `tcp`: as long as TCP may need. */
  async end(wait: number | "tcp" = "tcp"): Promise<Outcome> {
    this.#process.stdin?.write(`${wait}\n`);
    return JSON.parse(await this.#next()) as Outcome;
  }

  close(): void {
    this.#process.kill();
  }
}
