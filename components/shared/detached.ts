/** Inputs without dependencies on resources. @module */
import * as pulumi from "@pulumi/pulumi";

/** Members of outputs that Pulumi's own constructor takes and its types leave out. */
interface Parts {
  promise(withUnknowns: boolean): Promise<unknown>;
  readonly isKnown: Promise<boolean>;
  readonly isSecret: Promise<boolean>;
}

type Constructor = new (
  resources: ReadonlySet<pulumi.Resource>,
  ...parts: readonly Promise<unknown>[]
) => pulumi.Output<never>;

/**
 * A value without the resources that it depends on; unknown and secret as before. A `dependsOn` must replace them. The
 * state names each resource of an input twice, so the cases of many hosts would repeat all of them.
 */
export function detached<T>(value: pulumi.Input<T>): pulumi.Output<pulumi.Unwrap<T>> {
  const of = pulumi.output(value) as unknown as Parts;
  const Output = pulumi.Output as unknown as Constructor;
  const none = new Set<pulumi.Resource>();
  return new Output(none, of.promise(true), of.isKnown, of.isSecret, Promise.resolve(none));
}

/**
 * A {@link detached} value that is known once the resources are made. The state names none of them, which matters where
 * many resources wait for many. @param resources A component exists before its children: name these too.
 */
export function detachedAfter<T>(
  resources: readonly pulumi.Resource[],
  value: pulumi.Input<T>,
): pulumi.Output<pulumi.Unwrap<T>> {
  const all = pulumi.all([pulumi.output(value), pulumi.all(resources.map(({ urn }) => urn))]);
  return detached(all.apply(([known]) => known)) as pulumi.Output<pulumi.Unwrap<T>>;
}
