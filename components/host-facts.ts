/**
 * What results say about a host.
 *
 * @module
 */
import * as pulumi from "@pulumi/pulumi";
import { type HostFacts, readHostFacts } from "../bench/index.ts";
import type { Host } from "./host.ts";

/** What a host told about itself, and what only the deployment knows; null where it told nothing readable. */
export function hostFacts(
  { size, region, zone }: Pick<Host, "size" | "region" | "zone">,
  told: pulumi.Input<string> | undefined,
): pulumi.Output<HostFacts | null> {
  return pulumi.all([told, size, region, zone]).apply(([text, knownSize, knownRegion, knownZone]) => {
    const facts = readHostFacts(text ?? "");
    return (
      facts && {
        ...facts,
        size: knownSize ?? facts.size,
        region: knownRegion ?? facts.region,
        zone: knownZone ?? facts.zone,
      }
    );
  });
}
