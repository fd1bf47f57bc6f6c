/**
 * The set-up of any Linux NAT machine, as pure text: nftables ruleset, kernel settings, script. Cloud-neutral;
 * the local lab executes the very same text.
 */
export {
  cloudNatOptions,
  type NatOptions,
  type NatSetupArgs,
  natComponentOptions,
  natOptionsSchema,
  OPEN_NAT,
  pairNatOptions,
} from "./args.ts";
export { DATA_PLANE_FILE, dataPlanePackages } from "./data-plane.ts";
export { HA_PACKAGES } from "./high-availability.ts";
export { advertisementMs, checkOption, type HighAvailability } from "./high-availability-args.ts";
export { idleSeconds } from "./idle-timeouts.ts";
export { EVERYWHERE, namedLogins } from "./input.ts";
export { anHourLater, NAT64_PACKAGES } from "./operators/index.ts";
export type { Inbound } from "./option-schemas.ts";
export { COMMON_ADDRESS } from "./outer-address.ts";
export { HA_PROGRAM, SIGNS_PORT, SYNC_PORT } from "./pair-configuration.ts";
export { lifelongOptions, setUpAgain } from "./set-up-again.ts";
export { BEAT_SECONDS, LEAVING_FILE, NAT_UNIT, NOTES_FILE, natSetup } from "./setup-script.ts";
