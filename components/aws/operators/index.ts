/**
 * Options for operators of a NAT instance on AWS: metrics, alarms and a dashboard in CloudWatch, and the NAT gateway that
 * takes over. Other code imports only this file.
 */
export { watch } from "./alarms.ts";
export { cloudWatchPublisher, namespaceOf, publishingStatement } from "./cloudwatch.ts";
export { assertFallback, fallbackGateway } from "./nat-gateway-fallback.ts";
export { routeSwitchFunction } from "./route-switch-function.ts";
