/**
 * How a NAT instance tests that it forwards, and not that a process lives: a network of its own behind the machine connects
 * to an address outside, through the machine's own rules and translation, and back.
 */
import { type Part, setUpText } from "./part.ts";

/** The client's address in that network, as in `set-up/check-network.sh`. */
export const CHECK_CLIENT = "169.254.77.2";

const CHECK_LINK = "ebcheck0";

/** Rules that let the client out, by the machine's own address. */
export const checkRules = {
  forward: `iifname "${CHECK_LINK}" ct state new accept`,
  postrouting: `ip saddr ${CHECK_CLIENT} oifname $out_interface masquerade`,
} as const;

/** Defines `set_up_check`, which makes the network. */
export const checkNetwork: Part = {
  texts: [setUpText("check-network.sh")],
};
