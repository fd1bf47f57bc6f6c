import { commandLine } from "../../bench/index.ts";
import { INSTALL_SECONDS } from "../shared/cloud-init.ts";
import type { TuningName } from "../tuning/index.ts";
import { AGENT_PACKAGE } from "./agent-sources.ts";

/** Seconds that {@link installAndPrepare} may take for packages that the host lacks. */
export const PACKAGE_SECONDS = INSTALL_SECONDS + 60;

/** Seconds that building programs may take. */
export const BUILD_SECONDS = 900;

/** Arguments of {@link installAndPrepare}. */
export interface InstallArgs {
  /** SHA-256 of the packed agent. */
  readonly digest: string;
  readonly tuning: TuningName;
  /** Time-out of the preparation. */
  readonly seconds: number;
  /** Packages to install beyond those of the first boot. @default none */
  readonly packages?: readonly string[];
  /** Programs to build where the machine lacks them, with their Go modules. @default none */
  readonly builds?: Readonly<Record<string, string>>;
  /** Whether the host is a machine with a boot of its own. @default false */
  readonly isMachine?: boolean;
}

/**
 * Shell that installs the agent and ends when it is ready. Its stdin is the specification of `prepare`. The state keeps
 * this line twice a host, so the scripts are in the package: `agent/unpack.py`, and `prepare-host.sh` with its settings.
 */
export function installAndPrepare({
  digest,
  tuning,
  seconds,
  packages = [],
  builds = {},
  isMachine = false,
}: InstallArgs): string {
  const words = (name: string, all: readonly string[]) =>
    all.length === 0 ? [] : [`${name}=${all.join(" ")}`];
  return commandLine([
    "python3",
    AGENT_PACKAGE,
    digest,
    `seconds=${seconds}`,
    ...words("packages", packages),
    ...words("builds", Object.entries(builds).flat()),
    ...(isMachine ? ["machine"] : []),
    ...(tuning === "none" ? ["untune"] : []),
  ]);
}
