import { isEverybody, parseCidr } from "./cidr.ts";

/** Service that returns its caller's address, as text. */
const ECHO_SERVICE = "https://checkip.amazonaws.com";
const TIMEOUT_MS = 5000;

/**
 * The CIDR blocks that SSH is opened to: the given ones, or this program's public address.
 * @param given `ssh:allowedCidrs` of the stack.
 * @param allowAnywhere `ssh:allowAnywhere` of the stack.
 * @throws {Error} for an invalid block, and for the whole internet unless allowed.
 */
export function allowedCidrs(
  given: readonly string[] | undefined,
  allowAnywhere: boolean,
): readonly string[] | Promise<readonly string[]> {
  if (given === undefined) {
    return operatorAddress().then((address) => [`${address}/32`]);
  }
  if (isOpen(given) && !allowAnywhere) {
    throw new Error(
      `ssh:allowedCidrs: ${given.join(", ")} opens SSH to the whole internet; name your own address, or set ssh:allowAnywhere to true if that is meant`,
    );
  }
  return given;
}

function isOpen(cidrs: readonly string[]): boolean {
  try {
    return isEverybody(cidrs);
  } catch (error) {
    throw new Error(`ssh:allowedCidrs: ${(error as Error).message}`);
  }
}

/** The operator's public IPv4 address. @param request Stands in for `fetch` where there is no internet. */
export async function operatorAddress(request: typeof fetch = fetch): Promise<string> {
  try {
    const answer = await request(ECHO_SERVICE, { signal: AbortSignal.timeout(TIMEOUT_MS) });
    const address = (await answer.text()).trim();
    parseCidr(`${address}/32`);
    return address;
  } catch (cause) {
    throw new Error(
      `Could not find out your public IPv4 address from ${ECHO_SERVICE} (${(cause as Error).message}). Set it yourself: pulumi config set --path 'ssh:allowedCidrs[0]' 203.0.113.7/32`,
      { cause },
    );
  }
}
