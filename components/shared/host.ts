import type { types } from "@pulumi/command";
import type * as pulumi from "@pulumi/pulumi";
import { machineOf } from "../../bench/machines/index.ts";
import type { Burst, Role } from "../../bench/results/index.ts";

/** A machine that takes part in a benchmark. */
export interface Host {
  /** Name, unique within the stack; appears in results. */
  readonly name: string;
  readonly role: Role;
  /** SSH connection: address, user, keys (the host's is always verified), jump host. */
  readonly connection: pulumi.Input<types.input.remote.ConnectionArgs>;
  /** Address that other hosts of the benchmark use; never a management address. */
  readonly dataAddress: pulumi.Input<string>;
  /** Resources that exist once the host can be logged in to and has its tools. */
  readonly ready: readonly pulumi.Resource[];
  /** Id that changes when the machine is replaced, so that it is prepared anew: its instance id. */
  readonly identity: pulumi.Input<string>;
  /**
   * Text that changes when the machine is changed in place, so that it is prepared anew: its size and other facts.
   * @default its size
   */
  readonly revision?: pulumi.Input<string> | undefined;
  /** Machine size in the cloud's words, such as `c7g.large`. @default unknown */
  readonly size?: pulumi.Input<string> | undefined;
  /** Region, as the cloud names it. @default unknown */
  readonly region?: pulumi.Input<string> | undefined;
  /** Availability zone, as the cloud names it. @default unknown */
  readonly zone?: pulumi.Input<string> | undefined;
  /** Burst limits of the machine. @default unknown, or none */
  readonly burst?: pulumi.Input<Burst | null> | undefined;
  /** Whether the machine existed before the stack: its preparation installs no packages. @default false */
  readonly isExisting?: boolean | undefined;
  /** SHA-256 of the agent's package that came with the host. @default none: a run copies its own there */
  readonly agent?: string | undefined;
  /** Resource whose deletion removes the host too. @default none in this program */
  readonly machine?: pulumi.Resource | undefined;
}

/** Option for resources on a host: they are deleted with the machine, without being undone there. */
export function endsWith({ machine }: Host): Pick<pulumi.CustomResourceOptions, "deletedWith"> {
  return machine === undefined ? {} : { deletedWith: machine };
}

/**
 * CPU credits of a machine size; null if it has none.
 * @param mode EC2's word, `standard` or `unlimited`; anything else counts as unknown.
 */
export function cpuBurst(size: string, mode: string | undefined): Burst["cpu"] {
  const credits = machineOf(size)?.credits ?? null;
  return credits === null
    ? null
    : {
        creditsPerHour: credits.perHour,
        maximumCredits: credits.most,
        initialCredits: mode === "unlimited" ? 0 : credits.initial,
        mode: mode === "standard" || mode === "unlimited" ? mode : null,
      };
}
