/** Checks inputs against the SDK's declared argument types. */
import {
  isObject,
  type Properties,
  UNKNOWN,
  type Value,
} from "../../../tools/command-standin/shared/envelopes.ts";
import { type ArgumentType, functionArguments, type Members, resourceDeclaration } from "./sdk-types.ts";

/** Inputs that the SDK's types do not allow: unknown, missing, deprecated and ill-typed ones. Secrets are already unwrapped. */
export function inputProblems(token: string, inputs: Properties): string[] {
  return memberProblems(resourceDeclaration(token).arguments, inputs, token);
}

/** {@link inputProblems} for a function's arguments. */
export function argumentProblems(token: string, args: Properties): string[] {
  return memberProblems(functionArguments(token), args, token);
}

function memberProblems(members: Members, value: Properties, path: string): string[] {
  const missing = [...members]
    .filter(([name, { required }]) => required && (value[name] ?? null) === null)
    .map(([name]) => `${path}.${name} is missing`);
  const wrong = Object.entries(value).flatMap(([name, item]) => {
    const member = members.get(name);
    if (member === undefined) {
      return [`${path}.${name} is unknown`];
    }
    // The provider would warn at every preview.
    const old = member.deprecated ? [`${path}.${name} is deprecated`] : [];
    return [...old, ...typeProblems(member.type, item, `${path}.${name}`)];
  });
  return [...missing, ...wrong];
}

function typeProblems(type: ArgumentType, value: Value, path: string): string[] {
  if (value === UNKNOWN || type.kind === "anything") {
    return [];
  }
  switch (type.kind) {
    case "array":
      return Array.isArray(value)
        ? value.flatMap((item, index) => typeProblems(type.element, item, `${path}[${index}]`))
        : [`${path} is no list`];
    case "record":
      return isObject(value)
        ? Object.entries(value).flatMap(([key, item]) => typeProblems(type.element, item, `${path}.${key}`))
        : [`${path} is no map`];
    case "object":
      return isObject(value) ? memberProblems(type.members, value, path) : [`${path} is no ${type.name}`];
    case "either": {
      const problems = type.options.map((option) => typeProblems(option, value, path));
      return problems.some((of) => of.length === 0) ? [] : (problems[0] ?? []);
    }
    default:
      return typeof value === type.kind ? [] : [`${path} is a ${typeof value}, not a ${type.kind}`];
  }
}
