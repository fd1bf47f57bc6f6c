/** Checks of components' arguments at preview, the same in every cloud. */
import * as pulumi from "@pulumi/pulumi";

/**
 * An argument that breaks a rule of the cloud, found at preview.
 *
 * @param path The argument, such as `privateCidrs[1]`.
 * @param reason What was expected, what came, and what to do.
 */
export function invalid(path: string, reason: string): pulumi.InputPropertyError {
  return new pulumi.InputPropertyError({ propertyPath: path, reason: `${path}: ${reason}` });
}

/** Refuses those of some arguments that are given. @param why Reason and remedy. @throws {pulumi.InputPropertyError} */
export function refuseGiven(
  given: Readonly<Record<string, unknown>>,
  why: (argument: string) => string,
): void {
  for (const [argument, value] of Object.entries(given)) {
    if (value !== undefined && value !== false) {
      throw invalid(argument, why(argument));
    }
  }
}

/** Refuses more than one of some arguments. @throws {pulumi.InputPropertyError} naming the second. */
export function refuseSeveral(group: Readonly<Record<string, unknown>>): void {
  const given = Object.entries(group).flatMap(([key, value]) => (value === undefined ? [] : [key]));
  if (given.length > 1) {
    throw invalid(given[1] as string, `${given.join(" and ")} exclude each other; give one of them`);
  }
}

/** A set's members in one order: a list in another order is the same set and changes nothing. */
export function inOrder(members: readonly string[]): string[] {
  return [...members].sort();
}

/** {@link inOrder}, at once if all members are plain. */
export function orderedSet(
  members: readonly pulumi.Input<string>[] | pulumi.Input<pulumi.Input<string>[]>,
): pulumi.Input<string[]> {
  return Array.isArray(members) && members.every((one): one is string => typeof one === "string")
    ? inOrder(members)
    : pulumi.output(members as pulumi.Input<pulumi.Input<string>[]>).apply(inOrder);
}

/** A value, checked at once if plain, and once known if an output. */
export function checked<T>(value: pulumi.Input<T>, check: (value: T) => void): pulumi.Input<T> {
  if (pulumi.Output.isInstance(value) || value instanceof Promise) {
    return pulumi.output(value).apply((known) => {
      check(known as T);
      return known;
    }) as pulumi.Output<T>;
  }
  check(value as T);
  return value;
}

/**
 * Refuses an address that is given twice.
 * @param given Addresses with the paths of their arguments, such as `publicIps[1]`. Outputs are one address if they are one
 * object.
 * @throws {pulumi.InputPropertyError}
 */
export function assertDistinct(given: readonly (readonly [path: string, id: pulumi.Input<string>])[]): void {
  for (const [path, id] of given) {
    const [first] = given.find(([, other]) => other === id) ?? [path];
    if (first !== path) {
      throw invalid(path, `is also the address of ${first}; give each address once`);
    }
  }
}

/** Runs an address check; its error names the argument. */
export function named<T>(path: string, check: () => T): T {
  try {
    return check();
  } catch (error) {
    throw invalid(path, (error as Error).message);
  }
}
