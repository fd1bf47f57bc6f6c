import { observedBy } from "../components/nat-instance/cloud-machine.ts";
import { cloudNatOptions, type NatOptions } from "../components/nat-instance/index.ts";

/**
 * Moves the set-up script's settings into `nat`, and keeps the component's own arguments.
 * @param clients CIDR block of the clients, which observe the machine.
 */
export function componentOptions<Options extends object>(
  options: Options,
  clients: string,
): Omit<Options, keyof typeof cloudNatOptions.shape> & { readonly nat: NatOptions } {
  const entries = Object.entries(options);
  const isNat = ([name]: [string, unknown]) => Object.hasOwn(cloudNatOptions.shape, name);
  const own = Object.fromEntries(entries.filter((entry) => !isNat(entry)));
  const nat = Object.fromEntries(entries.filter(isNat));
  return { ...own, nat: observedBy([clients], nat) } as ReturnType<typeof componentOptions<Options>>;
}
