import { type Settings, textOf } from "../shared/shell.ts";

/** Shell functions of the set-up, their settings, and the steps that call them. */
export interface Part {
  /** @default none */
  readonly settings?: Settings;
  readonly texts: readonly string[];
  /** Functions to call, in this order. @default none */
  readonly steps?: readonly string[];
}

/** Text of a file of `set-up/`. */
export const setUpText = (name: string): string => textOf(`./set-up/${name}`, import.meta.url);
