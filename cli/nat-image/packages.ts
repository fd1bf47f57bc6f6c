/** Packages for all features of a NAT instance: user data downloads nothing if they are installed. */
import { dataPlaneSchema } from "../../bench/results/hosts.ts";
import { REQUEST_PACKAGES } from "../../components/aws/signed-requests.ts";
import { HA_PACKAGES } from "../../components/nat-instance/index.ts";
import { natBoot } from "../../components/shared/nat-set-up.ts";

/** Debian packages for every data plane, for NAT64, for a pair, and for requests to AWS. */
export const everyNatPackage: readonly string[] = [
  ...new Set([
    ...dataPlaneSchema.options.flatMap((dataPlane) => natBoot({ dataPlane, nat64: true }).packages),
    ...HA_PACKAGES,
    ...REQUEST_PACKAGES,
  ]),
];
