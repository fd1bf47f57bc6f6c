/** The processor architecture, read from the name of an instance type. Loads no cloud SDK. */

/** EC2's names; Canonical and others say `amd64` for x86_64. */
export type Architecture = "arm64" | "x86_64";

/**
 * Processor architecture of an instance type. Graviton types have a `g` behind the generation (t4g, c7gn, im4gn),
 * unlike GPU types, which have it before (g4dn); Grace ones end in `-gb` and a number; a1 came before the scheme.
 *
 * Source: docs.aws.amazon.com/ec2/latest/instancetypes/instance-type-names.html
 */
export function architecture(instanceType: string): Architecture {
  return /^(a1|[a-z]+\d+g[a-z]*|[a-z]+\d+[a-z]*-gb\d+)([.-]|$)/.test(instanceType) ? "arm64" : "x86_64";
}
