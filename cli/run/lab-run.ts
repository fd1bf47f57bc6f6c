/**
 * A run of a local stack: beside what every run does, no host is left that no state tells of.
 *
 * @module
 */
import { spawnSync } from "node:child_process";
import { quote } from "../../bench/index.ts";
import { SERVER_ADDRESS } from "../../components/local/addresses.ts";
import { asRoot } from "../../components/local/lab/machine.ts";
import type { Reporter } from "../terminal/progress.ts";
import { choosePlan, type PlanChoice, readStackFile } from "./stack-file.ts";
import { StackRun, type StackRunArgs } from "./stack-run.ts";
import { forgetStack, inCheckout, labOf, labPlace, openStack } from "./workspace.ts";

export class LabRun extends StackRun {
  /** Opens a stack, which may hold what an earlier run left. */
  static override async open(args: StackRunArgs): Promise<LabRun> {
    return new LabRun(await openStack(args.file.name, args.place), args);
  }

  /** Opens a stack for a new run, free of what an earlier one may have left. */
  static async openFree(name: string, choice: PlanChoice, progress: Reporter): Promise<LabRun> {
    const file = readStackFile(name);
    const plan = choosePlan(file, choice);
    const args = { file, plan, progress, place: labPlace, serverAddress: SERVER_ADDRESS };
    let run = await LabRun.open(args);
    if (await run.isUsed()) {
      await run.takeDown();
      run = await LabRun.open(args);
    }
    await run.startAfresh();
    return run;
  }

  /** Takes the lab down and forgets it, also when its state is broken. */
  override async takeDown(): Promise<void> {
    const { progress, place } = this.args;
    progress.step("Taking the lab down");
    try {
      // A run that was killed may have left its lock.
      await this.stack.cancel().catch(() => undefined);
      await this.stack.destroy({ color: "never" });
    } finally {
      this.#sweep();
      await forgetStack(this.stack, place);
      progress.stop();
    }
  }

  /** Ends hosts that no state tells of. */
  #sweep(): void {
    const program = asRoot(`${quote(process.execPath)} ${quote(inCheckout("components/local/lab/main.ts"))}`);
    const spec = quote(JSON.stringify({ lab: labOf(this.stack.name, this.args.place) }));
    const swept = spawnSync("sh", ["-c", `${program} lab-down ${spec}`], { encoding: "utf8" });
    if (swept.status !== 0) {
      this.args.progress.line(`Could not end what is left of the lab: ${swept.stderr.trim()}`);
    }
  }
}
