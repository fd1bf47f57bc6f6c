/**
 * What results say about a host.
 *
 * @module
 */
import * as pulumi from "@pulumi/pulumi";
import { type HostFacts, readHostFacts } from "../../bench/index.ts";
import type { Host } from "../shared/host.ts";

/** What a host reported about itself, and what only the deployment knows; null where that cannot be read. */
export function hostFacts(
  { size, region, zone, burst }: Pick<Host, "size" | "region" | "zone" | "burst">,
  output: pulumi.Input<string> | undefined,
): pulumi.Output<HostFacts | null> {
  const known = pulumi.output({ size, region, zone, burst });
  return pulumi.all([output, known]).apply(([text, deployed]) => {
    const facts = readHostFacts(text ?? "");
    return (
      facts && {
        ...facts,
        size: deployed.size ?? facts.size,
        region: deployed.region ?? facts.region,
        // Where the cloud chose, only the machine itself knows.
        zone: deployed.zone ?? facts.zone ?? facts.placement?.zone ?? null,
        // No host knows it of itself.
        burst: deployed.burst ?? null,
      }
    );
  });
}
