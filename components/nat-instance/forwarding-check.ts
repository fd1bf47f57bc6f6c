/**
 * How a NAT instance tests its own forwarding, which a running process does not prove: a network behind the machine
 * connects to an address outside, through the machine's rules and translation, and back.
 */
import { type Part, setUpText } from "./part.ts";

/** The client's address in the check's network, as in `set-up/check-network.sh`. */
export const CHECK_CLIENT = "169.254.77.2";

const CHECK_LINK = "ebcheck0";

/** Rules that let the check's client out, under the machine's own address. */
export const checkRules = {
  forward: `iifname "${CHECK_LINK}" ct state new accept`,
  postrouting: `ip saddr ${CHECK_CLIENT} oifname $out_interface masquerade`,
} as const;

/** Defines `set_up_check`, which makes the check's network. */
export const checkNetwork: Part = {
  texts: [setUpText("check-network.sh")],
};
