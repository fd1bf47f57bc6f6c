/**
 * Names of the hosts at the ends of a path: what components call them, and what results say of a run whose hosts never
 * answered.
 */

/** Name of the `number`th of several, from 1: the first is called as where there is only one. */
export function numbered(name: string, number: number): string {
  return number === 1 ? name : `${name}-${number}`;
}

/** @param number From 1. */
export function clientName(path: string, number: number): string {
  return numbered(`${path}-client`, number);
}

/** @param path Whose own it is; undefined: the paths of the stack share it. @param number From 1. */
export function serverName(path: string | undefined, number: number): string {
  return numbered(path === undefined ? "server" : `${path}-server`, number);
}
