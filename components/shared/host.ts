/** A machine that takes part in a benchmark, whatever cloud it is in. */
import type { types } from "@pulumi/command";
import type * as pulumi from "@pulumi/pulumi";
import type { Burst, Role } from "../../bench/results/index.ts";

/** A machine that takes part in a benchmark. */
export interface Host {
  /** Unique within the stack; appears in results. */
  readonly name: string;
  /** Role in a benchmark. */
  readonly role: Role;
  /** How the program reaches it: address, user, keys (the host's is always verified), jump host. */
  readonly connection: pulumi.Input<types.input.remote.ConnectionArgs>;
  /** Address that other hosts of the benchmark use; never a management address. */
  readonly dataAddress: pulumi.Input<string>;
  /** The host can be logged in to, and has its tools, when these exist. */
  readonly ready: readonly pulumi.Resource[];
  /** Changes when the machine is another one, so that it is prepared anew: its instance id. */
  readonly identity: pulumi.Input<string>;
  /**
   * Changes when the machine is changed in place, and is then prepared anew: its size and what else of it does not make it
   * another one. @default its size
   */
  readonly revision?: pulumi.Input<string> | undefined;
  /** Machine size, such as `c7g.large`, as the cloud names it; so are region and zone. @default unknown */
  readonly size?: pulumi.Input<string> | undefined;
  /** Region, as the cloud names it. @default unknown */
  readonly region?: pulumi.Input<string> | undefined;
  /** Availability zone, as the cloud names it. @default unknown */
  readonly zone?: pulumi.Input<string> | undefined;
  /** Burst limits of the machine. @default unknown, or none */
  readonly burst?: pulumi.Input<Burst | null> | undefined;
  /** The machine was there before the stack: its preparation installs no packages. @default false */
  readonly isExisting?: boolean | undefined;
  /** The resource whose deletion takes the host with it. @default none in this program */
  readonly machine?: pulumi.Resource | undefined;
}

/** Option of what is done on a host: it ends with the machine, without being undone there. */
export function endsWith({ machine }: Host): Pick<pulumi.CustomResourceOptions, "deletedWith"> {
  return machine === undefined ? {} : { deletedWith: machine };
}
