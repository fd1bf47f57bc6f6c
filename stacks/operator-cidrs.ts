import { isEverybody, parseCidr } from "../components/shared/cidr.ts";
import { ConfigError, type SshSettings } from "./config.ts";

/** Service that returns its caller's address, as text. */
const ECHO_SERVICE = "https://checkip.amazonaws.com";
const TIMEOUT_MS = 5000;

/**
 * The CIDR blocks that SSH is opened to: those of a stack's configuration, or the operator's own address. Asked before any
 * resource is made, so that a failure is one message.
 * @param lookUp Finds the operator's address.
 * @throws {ConfigError} for an invalid block, for the whole internet unless allowed, and where the address cannot be found out.
 */
export async function operatorCidrs(
  { allowedCidrs: given, allowAnywhere }: SshSettings,
  lookUp = operatorAddress,
): Promise<readonly string[]> {
  if (given === undefined) {
    return [`${await lookUp()}/32`];
  }
  if (isOpen(given) && !allowAnywhere) {
    throw new ConfigError(
      `ssh:allowedCidrs: ${given.join(", ")} opens SSH to the whole internet; name your own address, or set ssh:allowAnywhere to true if that is meant`,
    );
  }
  return given;
}

function isOpen(cidrs: readonly string[]): boolean {
  try {
    return isEverybody(cidrs);
  } catch (error) {
    throw new ConfigError(`ssh:allowedCidrs: ${(error as Error).message}`);
  }
}

/**
 * The operator's public IPv4 address. @param request Stands in for `fetch` where there is no internet.
 * @throws {ConfigError}
 */
export async function operatorAddress(request: typeof fetch = fetch): Promise<string> {
  try {
    const answer = await request(ECHO_SERVICE, { signal: AbortSignal.timeout(TIMEOUT_MS) });
    const address = (await answer.text()).trim();
    parseCidr(`${address}/32`);
    return address;
  } catch (error) {
    throw new ConfigError(
      `Could not find out your public IPv4 address from ${ECHO_SERVICE} (${(error as Error).message}). Set it yourself: pulumi config set --path 'ssh:allowedCidrs[0]' 203.0.113.7/32`,
    );
  }
}
