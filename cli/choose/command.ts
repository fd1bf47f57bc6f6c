/**
 * The command `npm run choose`, apart from the process it runs in.
 *
 * @module
 */
import { writeFileSync } from "node:fs";
import { join, resolve } from "node:path";
import { priceSnapshots, toChoosePage } from "../../report/index.ts";
import { parseOptions } from "../options.ts";
import type { ReportIo } from "../report/command.ts";
import { readPriceFile } from "../report/prices/file.ts";
import { makeDirectory } from "../run/result-files.ts";
import { usageOf } from "../usage.ts";
import { UsageError } from "../usage-error.ts";

const EXIT = { ok: 0, failed: 1, usage: 2 } as const;

const options = {
  out: { type: "string", default: "out" },
  prices: { type: "string", default: "snapshot" },
  help: { type: "boolean", default: false },
} as const;

/** @returns the exit status */
export function choose(argv: readonly string[], io: ReportIo): number {
  try {
    const { values } = parseOptions(argv, options, { allowPositionals: false });
    if (values.help) {
      io.stdout.write(usageOf("choose"));
      return EXIT.ok;
    }
    const own = values.prices === "snapshot" ? null : readPriceFile(values.prices, io.directory);
    const books = own === null ? priceSnapshots : { ...priceSnapshots, [own.cloud]: own };
    const page = toChoosePage({ madeAt: new Date().toISOString(), books });
    makeDirectory(resolve(io.directory, values.out));
    const file = join(values.out, "choose.html");
    writeFileSync(resolve(io.directory, file), page);
    io.stdout.write(`Open ${file} in a browser: it answers as you type.\n`);
    return EXIT.ok;
  } catch (error) {
    io.stderr.write(`npm run choose: ${(error as Error).message}\n`);
    return error instanceof UsageError ? EXIT.usage : EXIT.failed;
  }
}
