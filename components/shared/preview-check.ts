/** Refusals that depend on the cloud's present state. */
import * as pulumi from "@pulumi/pulumi";

/**
 * A value that a preview checks against the cloud's present state, which an update may have changed by then. An unreadable
 * or missing object is not checked.
 * @param read Reads the cloud once the value is known; a preview does not know the id of a resource to be made or replaced.
 * @param check Throws its refusal, which the output then throws too.
 */
export function checkedAtPreview<Value, Found>(
  value: pulumi.Output<Value>,
  read: (known: Value) => Promise<Found>,
  check: (found: Found) => void,
): pulumi.Output<Value> {
  if (!pulumi.runtime.isDryRun()) {
    return value;
  }
  return value.apply(async (known) => {
    const found = await read(known as Value).catch(() => undefined);
    if (found !== undefined) {
      check(found);
    }
    return known;
  }) as pulumi.Output<Value>;
}

/** A value that is refused if any of the others is. */
export function refusedWith<Value>(
  value: pulumi.Output<Value>,
  others: readonly pulumi.Output<unknown>[],
): pulumi.Output<Value> {
  return pulumi.all([value, ...others]).apply(([known]) => known as Value);
}
