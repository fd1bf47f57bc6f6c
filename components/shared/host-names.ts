/** Names of the hosts at the ends of a path, for components, and for results of a run whose hosts never answered. */

/** Name of the `number`th of several, from 1. The first has the name of a single one. */
export function numbered(name: string, number: number): string {
  return number === 1 ? name : `${name}-${number}`;
}

/** Name of a path's client. @param number From 1. */
export function clientName(path: string, number: number): string {
  return numbered(`${path}-client`, number);
}

/** Name of a server. @param path Path of the server's own; undefined: the stack's paths share it. @param number From 1. */
export function serverName(path: string | undefined, number: number): string {
  return numbered(path === undefined ? "server" : `${path}-server`, number);
}
