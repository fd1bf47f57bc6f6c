/**
 * What only an operator of a NAT instance asks for: NAT64 and a window for upgrades. This is the
 * room's only door.
 */
export { NAT64_DEVICE, NAT64_PACKAGES, NAT64_POOL, nat64Rules, nat64Script } from "./nat64.ts";
export { anHourLater, DAYS, upgradeWindowScript } from "./upgrade-window.ts";
