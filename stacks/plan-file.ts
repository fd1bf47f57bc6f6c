import { resolve } from "node:path";
import { parse } from "yaml";
import { readNamedFile } from "../components/shared/files.ts";

/** Extensions that distinguish a file from the name of a preset. */
const PLAN_FILE = /\.(json|ya?ml)$/;

/**
 * The plan of a text: the content of the JSON or YAML file that it names, or the text itself.
 * @param directory Directory of relative names.
 * @throws {Error} that names the file where it cannot be read.
 */
export function readPlanFile(plan: unknown, directory: string): unknown {
  if (typeof plan !== "string" || !PLAN_FILE.test(plan)) {
    return plan;
  }
  const file = resolve(directory, plan);
  try {
    // JSON is read as YAML.
    const found: unknown = parse(readNamedFile(file));
    if (found === null) throw new Error("got null");
    return found;
  } catch (error) {
    throw new Error(`expected a plan in ${file}: ${(error as Error).message}`);
  }
}
