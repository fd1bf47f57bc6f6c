/** The parts that a NAT instance's set-up script is made of. */
import { type Settings, textOf } from "../shared/shell.ts";

/** Shell functions of the set-up, the settings that they read, and the steps that call them. */
export interface Part {
  /** @default none */
  readonly settings?: Settings;
  readonly texts: readonly string[];
  /** Functions that are called, in this order. @default none */
  readonly steps?: readonly string[];
}

/** Text of a file of `set-up/`. */
export const setUpText = (name: string): string => textOf(`./set-up/${name}`, import.meta.url);
