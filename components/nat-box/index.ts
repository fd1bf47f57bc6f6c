/**
 * What any Linux NAT machine runs, as pure text: nftables ruleset, sysctls, user data. Cloud-neutral; the local
 * lab executes the very same text.
 *
 * @module
 */
export interface NatBoxArgs {
  /** CIDR blocks whose hosts may go out through this machine. */
  readonly privateCidrs: readonly string[];
}
