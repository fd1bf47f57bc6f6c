import * as pulumi from "@pulumi/pulumi";
import { allowedCidrs } from "../components/shared/operator-address.ts";
import type { DeployRequest } from "./cloud.ts";
import { ConfigError } from "./config.ts";

/**
 * The CIDR blocks that a stack's configuration allows, or the operator's own address.
 * @throws {ConfigError} also by the output: for an invalid block, or where the address cannot be found out.
 */
export function sshSources({
  allowedCidrs: configured,
  allowAnywhere,
}: Pick<DeployRequest<unknown>, "allowedCidrs" | "allowAnywhere">): pulumi.Output<string[]> {
  const asConfigError = (error: Error) => {
    throw new ConfigError(error.message);
  };
  try {
    const cidrs = allowedCidrs(configured, allowAnywhere);
    return pulumi
      .output(cidrs instanceof Promise ? cidrs.catch(asConfigError) : cidrs)
      .apply((all) => [...all]);
  } catch (error) {
    return asConfigError(error as Error);
  }
}
