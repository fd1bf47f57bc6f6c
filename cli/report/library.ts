/** Reads the library of results that lies in the repository. */
import { globSync, readFileSync } from "node:fs";
import { fileURLToPath } from "node:url";
import { parsePlainJson } from "../../bench/index.ts";
import { type Contribution, contributionSchema } from "../../report/index.ts";

const directory = fileURLToPath(new URL("../../results/", import.meta.url));

/** Every run of the library, by the names of its files. @throws {Error} naming a file that is no contribution */
export function readLibrary(): Contribution[] {
  return globSync("{azure,aws,lab}/*.json", { cwd: directory })
    .sort()
    .map((name) => {
      const parsed = contributionSchema.safeParse(
        parsePlainJson(readFileSync(`${directory}${name}`, "utf8")),
      );
      if (!parsed.success) {
        const [issue] = parsed.error.issues;
        throw new Error(
          `results/${name}: field ${issue?.path.join(".")}: ${issue?.message}; make it with npm run contribute`,
        );
      }
      return parsed.data;
    });
}
