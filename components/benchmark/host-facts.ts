import { createHash } from "node:crypto";
import * as pulumi from "@pulumi/pulumi";
import { type HostFacts, readHostFacts } from "../../bench/index.ts";
import type { Host } from "../shared/host.ts";

/** Facts that a host reported, and those that only the deployment knows; null where unreadable. */
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
        // Where the cloud chose the zone, only the machine itself knows it.
        zone: deployed.zone ?? facts.zone ?? facts.placement?.zone ?? null,
        // Hosts do not know their own burst limits.
        burst: deployed.burst ?? null,
      }
    );
  });
}

/**
 * Digest of the facts that decide performance: a case is measured again when it changes. Interface names and counts are
 * left out, because a server has one more with each path.
 */
export function hostsDigest(hosts: readonly pulumi.Output<HostFacts | null>[]): pulumi.Output<string> {
  return pulumi.unsecret(pulumi.all([...hosts])).apply((all) => {
    const decisive = all.map(
      (facts) =>
        facts && {
          ...{ host: facts.host, size: facts.size, architecture: facts.architecture, cpus: facts.cpus },
          ...{ kernel: facts.kernel, tuning: facts.tuning, dataPlane: facts.dataPlane },
          // Azure's accelerated networking adds a driver beside the synthetic one.
          drivers: [...new Set(facts.interfaces.map(({ driver }) => driver ?? ""))].sort(),
        },
    );
    return createHash("sha256").update(JSON.stringify(decisive)).digest("hex").slice(0, 16);
  });
}
