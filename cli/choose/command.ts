/** The command `npm run choose`, separate from the process it runs in. */
import { join, resolve } from "node:path";
import { pricedClouds } from "../../bench/topologies/clouds.ts";
import { currencyOfBooks, MixedCurrencies, type PricedCloud, toChoosePage } from "../../report/index.ts";
import { commands } from "../commands.ts";
import { EXIT, PROGRAM, runCommand, type Values } from "../program.ts";
import type { ReportIo } from "../report/command.ts";
import { booksOf, type GivenPrices, readPrices } from "../report/prices/file.ts";
import { writeOut } from "../terminal/result-files.ts";
import { UsageError } from "../usage-error.ts";

export function choose(argv: readonly string[], io: ReportIo): number {
  return runCommand(commands.choose, argv, io, (values) => run(values, io), MixedCurrencies);
}

function run({ out, ...values }: Values<typeof commands.choose>, io: ReportIo): number {
  const prices = readPrices(values.prices ?? [], io.directory, values["nat-term"]);
  if (prices.live) {
    throw new UsageError(
      "--prices: expected snapshot or files: the page has every region, too many questions for a price service",
    );
  }
  const page = toChoosePage({
    madeAt: new Date().toISOString(),
    books: booksOf(prices),
    clouds: cloudsOf(prices, io),
  });
  const file = join(out, "choose.html");
  writeOut(resolve(io.directory, file), page, file);
  io.stdout.write(`Open ${file} in a browser: it answers as you type.\n`);
  return EXIT.ok;
}

/** The page's clouds: those with prices in the given lists' currency. Others are reported. @throws {MixedCurrencies} */
function cloudsOf({ own }: GivenPrices, { stderr }: ReportIo): PricedCloud[] {
  const books = booksOf({ own });
  const currency = currencyOfBooks(
    books,
    own.map(({ cloud }) => cloud),
  );
  const [shown, left] = [true, false].map((same) =>
    pricedClouds.filter((cloud) => (books[cloud].currency === currency) === same),
  );
  for (const cloud of left ?? []) {
    stderr.write(
      `${PROGRAM} choose: ${cloud} is left out: its prices are in ${books[cloud].currency}, the page's in ${currency}; give a list of its prices in ${currency} too\n`,
    );
  }
  return shown ?? [];
}
