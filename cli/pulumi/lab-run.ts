/** Runs a local stack. It never reaches a cloud, and leaves no host that is missing from the state. */
import { spawnSync } from "node:child_process";
import { quote } from "../../bench/index.ts";
import { asRoot } from "../../components/local/lab/machine.ts";
import { counted } from "../../report/text/format.ts";
import { StackBusyError } from "./backend.ts";
import { type Left, openFree, StackRun, type StackRunArgs } from "./stack-run.ts";
import { inCheckout, labOf } from "./workspace.ts";

/** A run of a lab's stack, which also checks whether its hosts live. */
export class LabRun extends StackRun {
  /** Opens a stack, which may have leftovers of an earlier run. @throws {StackBusyError} */
  static override async open(args: StackRunArgs): Promise<LabRun> {
    return new LabRun(await openFree(args), args);
  }

  /** @throws {Error} if something other than a lab is deployed */
  override async left(): Promise<Left | null> {
    const left = await super.left();
    if (left !== null && left.packages.length > 0) {
      throw new Error(
        `stack ${this.stack.name} holds resources of ${left.packages.join(", ")}, which are not the local lab's; destroy them by hand: npm run pulumi -- destroy --stack ${this.stack.name}`,
      );
    }
    return left;
  }

  protected override async destroy(interrupt: AbortSignal | undefined): Promise<void> {
    try {
      await super.destroy(interrupt);
    } catch (error) {
      if (interrupt?.aborted || error instanceof StackBusyError) {
        throw error;
      }
      // A broken lab's state can be emptied once its hosts are gone.
      this.#sweep();
      await super.destroy(interrupt);
    }
  }

  override async found(): Promise<string[]> {
    const hosts: readonly { readonly lab: string }[] = JSON.parse(this.#lab("hosts").stdout || "[]");
    const own = hosts.filter(({ lab }) => lab === labOf(this.stack.name, this.args.workspace));
    return [...(own.length === 0 ? [] : [counted(own.length, "host")]), ...(await super.found())];
  }

  override async forget(): Promise<void> {
    this.#sweep();
    await super.forget();
  }

  /** Ends hosts that are missing from the state. */
  #sweep(): void {
    const { status, stderr } = this.#lab("lab-down");
    if (status !== 0) {
      this.args.progress.line(`Could not remove what is left of the lab: ${stderr.trim()}`);
    }
  }

  #lab(operation: "hosts" | "lab-down") {
    const program = asRoot(`${quote(process.execPath)} ${quote(inCheckout("components/local/lab/main.ts"))}`);
    const spec = quote(JSON.stringify({ lab: labOf(this.stack.name, this.args.workspace) }));
    return spawnSync("sh", ["-c", `${program} ${operation} ${spec}`], { encoding: "utf8" });
  }
}
