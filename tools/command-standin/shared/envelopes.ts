/**
 * Property values as the engine sends them: JSON, in which secrets, assets and archives are objects marked
 * by a signature key, and a value not known during a preview is one reserved string.
 */
export type Value = null | boolean | number | string | Value[] | Properties;

/** A resource's inputs, outputs or any nested object. */
export interface Properties {
  [name: string]: Value;
}

// The constants are Pulumi's wire format: sdk/go/common/resource/sig and plugin/rpc.go.
const SIGNATURE = "4dabf18193072939515e22adb298388d";
const SECRET = "1b47061264138c4ac30d75fd1eb44270";
const ASSET = "c44067f5952c0a294b673a41bacd8c17";
const ARCHIVE = "0def7320c3a5731c473e5ecbe6d01bc7";

/** Placeholder of a value that is unknown until the update runs. */
export const UNKNOWN = "04da6b54-80e4-46f7-96ec-b56ff0331ba9";

/** Whether the value is an object or an envelope, not a list and not null. */
export function isObject(value: Value | undefined): value is Properties {
  return typeof value === "object" && value !== null && !Array.isArray(value);
}

function hasSignature(value: Value | undefined, signature: string): value is Properties {
  return isObject(value) && value[SIGNATURE] === signature;
}

export function isSecret(value: Value | undefined): boolean {
  return hasSignature(value, SECRET);
}

/** Whether a value is an asset: one file or text. */
export function isAsset(value: Value | undefined): value is Properties {
  return hasSignature(value, ASSET);
}

export function isArchive(value: Value | undefined): value is Properties {
  return hasSignature(value, ARCHIVE);
}

export function asSecret(value: Value): Value {
  return isSecret(value) ? value : { [SIGNATURE]: SECRET, value };
}

/** The value inside a secret envelope, or the value itself. */
export function unwrap(value: Value): Value {
  return hasSignature(value, SECRET) ? unwrap(value.value ?? null) : value;
}

/** The value without any secret envelopes: only for use, never to be returned. */
export function plain(value: Value): Value {
  const inner = unwrap(value);
  if (Array.isArray(inner)) return inner.map(plain);
  if (!isObject(inner)) return inner;
  return Object.fromEntries(Object.entries(inner).map(([key, item]) => [key, plain(item)]));
}

/** {@link plain} for a resource's properties. */
export function plainProperties(properties: Properties): Properties {
  return plain(properties) as Properties;
}
