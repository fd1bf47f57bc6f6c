/** Options for operators of a NAT instance: NAT64 and a window for upgrades. Other code imports only this file. */
export { NAT64_DEVICE, NAT64_PACKAGES, NAT64_POOL, nat64Part, nat64Rules } from "./nat64.ts";
export { anHourLater, DAYS, upgradeWindowPart } from "./upgrade-window.ts";
