/**
 * The set-up of a pair of NAT instances: conntrackd keeps the standby's copy of the connections, and the program of `pair/`
 * decides which machine carries and takes over. Lab and clouds share it; only what a take-over moves differs.
 */
import { printing } from "../shared/shell.ts";
import type { HighAvailability } from "./high-availability-args.ts";
import { outerAddressPart } from "./outer-address.ts";
import { conntrackdConfiguration, HA_PROGRAM } from "./pair-configuration.ts";
import { pairParameters, pairSources } from "./pair-program.ts";
import { type Part, setUpText } from "./part.ts";

/**
 * Packages of a pair on Debian and Ubuntu, each named after its program. A pair without copies of connections needs only
 * `python3`.
 */
export const HA_PACKAGES = ["conntrack", "conntrackd", "python3"] as const;

/** Defines `set_up_pair`. @param idleSeconds Time-out of a connection after a take-over. */
export function pairPart(ha: HighAvailability, idleSeconds: number): Part {
  const { self, move, refusal } = ha;
  const copies = ha.translatedTo !== undefined;
  const outer = ha.outerAddress === undefined ? undefined : outerAddressPart(ha.outerAddress);
  return {
    settings: {
      outer_address: undefined,
      ...outer?.settings,
      own_address: self,
      pair_tools: HA_PACKAGES.filter((name) => name === "python3" || copies),
      copies_sessions: copies,
      pair_program: HA_PROGRAM,
      refusal,
    },
    texts: [
      ...(copies ? [printing("conntrackd_configuration", conntrackdConfiguration(ha, idleSeconds))] : []),
      printing("pair_parameters", `${JSON.stringify(pairParameters(ha))}\n`),
      sources(move.kind),
      ...(outer?.texts ?? []),
      setUpText("pair.sh"),
    ],
    steps: ["set_up_pair"],
  };
}

/** A shell function that writes the program's files into a directory. */
function sources(kind: HighAvailability["move"]["kind"]): string {
  const files = pairSources(kind).map(
    ([path, text]) => `  cat > "$1/${path}" <<'END_OF_SOURCE'\n${text}END_OF_SOURCE\n`,
  );
  return `pair_sources() {\n${files.join("")}}\n`;
}
