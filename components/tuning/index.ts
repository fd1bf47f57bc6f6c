import type { remote } from "@pulumi/command";
import * as pulumi from "@pulumi/pulumi";
import { endsWith, type Host } from "../shared/host.ts";
import { hostCommand } from "../shared/host-ready.ts";
import { type TuningName, tuningProfiles } from "./profiles.ts";
import { applyScript, undoOwnScript } from "./script.ts";

export type { TuningName } from "./profiles.ts";
export { undoScript } from "./script.ts";

const SECONDS = 60;

/**
 * Gives a host a profile for as long as the resource lives; each run applies it afresh. Undefined if there is nothing to
 * do.
 */
export function tuneHost(
  host: Host,
  tuning: TuningName,
  runId: string,
  parent: pulumi.Resource,
): remote.Command | undefined {
  const isEnd = host.role === "client" || host.role === "server";
  if (tuning === "none" || !isEnd) {
    return undefined;
  }
  // A replacement applies before its predecessor is deleted; the owner keeps the predecessor from undoing it.
  const owner = pulumi.interpolate`${runId} ${tuning} ${host.identity}`;
  return hostCommand(
    `${host.name}-tuning`,
    {
      connection: host.connection,
      create: owner.apply((own) => applyScript(tuning, tuningProfiles[tuning], own)),
      delete: owner.apply(undoOwnScript),
      triggers: [host.identity, runId, tuning],
    },
    SECONDS,
    { parent, dependsOn: [...host.ready], ...endsWith(host), customTimeouts: { delete: `${SECONDS}s` } },
  );
}

export function tuningNotes(tuning: TuningName): string[] {
  if (tuning === "none") {
    return [];
  }
  const settings = tuningProfiles[tuning].map(({ key, value }) => `${key} = ${value}`).join(", ");
  return [
    `Clients and servers were tuned (profile ${tuning}: ${settings}); settings that a host refused are among its notes.`,
  ];
}
