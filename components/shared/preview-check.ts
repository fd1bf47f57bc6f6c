/** Refusals that need to know what the cloud has. */
import * as pulumi from "@pulumi/pulumi";

/**
 * A value that is checked, at preview, against what the cloud has. In an update, what the value names may have changed by then.
 * A value that cannot be read, or does not exist, is not checked.
 *
 * @param read Of the cloud, once the value is known; a preview does not know the id of what is made or replaced.
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

/** A value that is refused where any of the others is. */
export function refusedWith<Value>(
  value: pulumi.Output<Value>,
  others: readonly pulumi.Output<unknown>[],
): pulumi.Output<Value> {
  return pulumi.all([value, ...others]).apply(([known]) => known as Value);
}
