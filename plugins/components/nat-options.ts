/**
 * What a NAT instance of any cloud runs, which flat arguments have as texts and numbers.
 *
 * @module
 */
import * as pulumi from "@pulumi/pulumi";
import type * as aws from "egress-bench/aws";
import type { leftOutOfNat, Passed } from "./left-out";

type NatOptions = NonNullable<aws.NatInstanceArgs["nat"]>;

/** The part of a component's arguments that says how is translated. */
interface NatInputs {
  dataPlane?: `${NonNullable<NatOptions["dataPlane"]>}`;
  strict?: boolean;
  firstPort?: number;
  lastPort?: number;
  metricsDirectory?: string;
  upgradeAt?: string;
  upgradeReboot?: boolean;
}

/** As the library takes it. @throws {pulumi.InputPropertyError} when half of what belongs together is given. */
export function natOptions(args: NatInputs): NatOptions {
  const { dataPlane, strict, firstPort: first, lastPort: last, metricsDirectory } = args;
  const { upgradeAt: at, upgradeReboot: reboot } = args;
  if ((first === undefined) !== (last === undefined)) {
    throw missing(first === undefined ? "firstPort" : "lastPort", "give both ends of the range, or none");
  }
  if (at === undefined && reboot !== undefined) {
    throw missing("upgradeAt", "say when upgrades run, or leave upgradeReboot out");
  }
  const passed: Passed<NatOptions, typeof leftOutOfNat> = {
    ...{ dataPlane, strict, metricsDirectory },
    portRange: first === undefined || last === undefined ? undefined : { first, last },
    upgradeWindow: at === undefined ? undefined : { at, reboot },
  };
  return passed;
}

function missing(propertyPath: string, fix: string): pulumi.InputPropertyError {
  return new pulumi.InputPropertyError({ propertyPath, reason: `is missing; ${fix}` });
}
