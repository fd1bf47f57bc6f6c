/**
 * What only an operator of a NAT instance on AWS asks for: figures, alarms and a dashboard in CloudWatch, and the NAT
 * gateway that takes over. This is the room's only door.
 */
export { watch } from "./alarms.ts";
export { cloudWatchPublisher, namespaceOf, publishingStatement } from "./cloudwatch.ts";
export { assertFallback, fallbackGateway } from "./nat-gateway-fallback.ts";
export { routeSwitchFunction } from "./route-switch-function.ts";
