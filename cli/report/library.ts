/** Reads the repository's library of results. */
import { globSync, readFileSync } from "node:fs";
import { fileURLToPath } from "node:url";
import { parsePlainJson } from "../../bench/index.ts";
import { issueWords } from "../../bench/type-words.ts";
import { reasonOf } from "../../components/shared/files.ts";
import { type Contribution, contributionSchema } from "../../report/index.ts";

const own = fileURLToPath(new URL("../../results/", import.meta.url));

/**
 * Every run of the library, by file name.
 *
 * @param directory Ends in a slash. @default the repository's
 * @throws {Error} naming a file that is no contribution
 */
export function readLibrary(directory = own): Contribution[] {
  return globSync("{azure,aws,lab}/*.json", { cwd: directory })
    .sort()
    .map((name) => {
      const parsed = contributionSchema.safeParse(jsonOf(name, directory));
      if (!parsed.success) {
        throw new Error(
          `results/${name}: ${issueWords(parsed.error.issues[0])}; make it with npm run contribute`,
        );
      }
      return parsed.data;
    });
}

function jsonOf(name: string, directory: string): unknown {
  try {
    return parsePlainJson(readFileSync(`${directory}${name}`, "utf8"));
  } catch (error) {
    throw new Error(`results/${name}: ${reasonOf(error)}; make it with npm run contribute`);
  }
}
