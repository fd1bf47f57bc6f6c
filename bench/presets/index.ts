/**
 * The plans that go by a name: one file each, registered here.
 *
 * @module
 */
import type { PlanInput } from "../plan-input.ts";
import { quick } from "./quick.ts";
import { standard } from "./standard.ts";

export const presets: Readonly<Record<string, PlanInput>> = { quick, standard };
