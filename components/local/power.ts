/** Simulates a power loss, for plans with failures: a lab's host has no kernel of its own to stop. */
import { HA_PROGRAM } from "../nat-instance/index.ts";
import { printing, program, textOf } from "../shared/shell.ts";

const BOOT_FILE = "/etc/egress-bench/boot";
export const POWER_PROGRAM = "/usr/local/sbin/egress-bench-power";

const here = (name: string) => textOf(name, import.meta.url);

const powerProgram = program(
  "Imitates a machine's power.",
  { pair_program: HA_PROGRAM, boot_file: BOOT_FILE },
  [here("./power.sh")],
);

/** The boot script of a NAT instance with simulated power: runs now, and at each of its boots. */
export function bootScript(script: string): string {
  return program("Boots a host.", { power_program: POWER_PROGRAM, boot_file: BOOT_FILE }, [
    printing("power_text", powerProgram),
    printing("boot_text", `${script}\n`, "END_OF_BOOT"),
    here("./install-power.sh"),
  ]);
}
