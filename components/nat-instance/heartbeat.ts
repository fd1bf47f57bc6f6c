/** The part of the set-up that has a NAT instance say whether it forwards, where somebody is to act when it does not. */
import { printing } from "../shared/shell.ts";
import { checkNetwork } from "./forwarding-check.ts";
import { type Part, setUpText } from "./part.ts";

/** Between two beats. */
export const BEAT_SECONDS = 15;

/** There from the moment that the machine's own system goes down. */
export const LEAVING_FILE = "/run/egress-bench-leaving";

/**
 * Defines `set_up_heartbeat`.
 *
 * @param program A shell program, called each {@link BEAT_SECONDS}, and with `leave` as the machine goes down, which tests
 * forwarding from the network `ebcheck`.
 */
export function heartbeatPart(program: string): Part {
  return {
    settings: {
      leaving_file: LEAVING_FILE,
      beat_seconds: BEAT_SECONDS,
    },
    texts: [...checkNetwork.texts, printing("heartbeat_text", program), setUpText("heartbeat.sh")],
    steps: ["set_up_heartbeat"],
  };
}
