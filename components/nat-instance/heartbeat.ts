/**
 * The part of the set-up that makes a NAT instance report whether it forwards, for a service that acts when it does not.
 */
import { printing } from "../shared/shell.ts";
import { checkNetwork } from "./forwarding-check.ts";
import { type Part, setUpText } from "./part.ts";

/** Seconds between two beats. */
export const BEAT_SECONDS = 15;

/** File that exists from the moment the machine's system shuts down. */
export const LEAVING_FILE = "/run/egress-bench-leaving";

/**
 * Defines `set_up_heartbeat`.
 * @param program Shell program, called each {@link BEAT_SECONDS}, and with `leave` at shutdown. It tests forwarding from
 * the network `ebcheck`.
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
