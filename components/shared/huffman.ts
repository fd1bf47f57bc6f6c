/**
 * Huffman codes as DEFLATE has them (RFC 1951), and how a block says which it uses.
 *
 * @module
 */

/** Order of the code lengths' own code lengths. */
const ORDER = [16, 17, 18, 0, 8, 7, 9, 6, 10, 5, 11, 4, 12, 3, 13, 2, 14, 1, 15];

/** Code lengths of at most `most` bits (package-merge). At least two, which every decoder takes. */
export function huffman(counts: readonly number[], most: number): number[] {
  const leaves = counts
    .map((weight, symbol) => ({ weight, symbols: [symbol] }))
    .filter(({ weight }) => weight > 0)
    .sort((a, b) => a.weight - b.weight);
  const lengths = counts.map(() => 0);
  for (let symbol = 0; leaves.length < 2; symbol += 1) {
    if (counts[symbol] === 0) leaves.unshift({ weight: 0, symbols: [symbol] });
  }
  let packages = leaves;
  for (let level = 1; level < most; level += 1) {
    const pairs = Array.from({ length: Math.floor(packages.length / 2) }, (_, at) => {
      const [a, b] = [packages[2 * at], packages[2 * at + 1]] as [(typeof leaves)[0], (typeof leaves)[0]];
      return { weight: a.weight + b.weight, symbols: [...a.symbols, ...b.symbols] };
    });
    packages = [...leaves, ...pairs].sort((a, b) => a.weight - b.weight);
  }
  for (const { symbols } of packages.slice(0, 2 * leaves.length - 2)) {
    for (const symbol of symbols) lengths[symbol] = (lengths[symbol] as number) + 1;
  }
  return lengths;
}

/** Canonical codes (RFC 1951, 3.2.2), first bit first. */
export function canonical(lengths: readonly number[]): number[] {
  const codes = lengths.map(() => 0);
  let code = 0;
  for (let bits = 1; bits <= 15; bits += 1) {
    lengths.forEach((length, symbol) => {
      if (length !== bits) return;
      for (let bit = 0; bit < bits; bit += 1) {
        codes[symbol] = (codes[symbol] as number) | (((code >> bit) & 1) << (bits - 1 - bit));
      }
      code += 1;
    });
    code <<= 1;
  }
  return codes;
}

/** Bits, the lowest first. */
export class Bits {
  readonly bytes: number[] = [];
  length = 0;

  put(value: number, count: number): void {
    for (let bit = 0; bit < count; bit += 1, this.length += 1) {
      const at = this.length >> 3;
      this.bytes[at] = (this.bytes[at] ?? 0) | (((value >> bit) & 1) << (this.length & 7));
    }
  }
}

/** Both tables of code lengths, runs of one length as one symbol each (RFC 1951, 3.2.7). */
export function writeHead(bits: Bits, ofSymbols: readonly number[], ofDistances: readonly number[]): void {
  const trimmed = (lengths: readonly number[], least: number) =>
    lengths.slice(0, Math.max(least, lengths.findLastIndex((one) => one > 0) + 1));
  const [symbols, distances] = [trimmed(ofSymbols, 257), trimmed(ofDistances, 1)];
  const runs = runsOf([...symbols, ...distances]);
  const counts = new Array<number>(19).fill(0);
  for (const { symbol } of runs) counts[symbol] = (counts[symbol] as number) + 1;
  const lengths = huffman(counts, 7);
  const own = canonical(lengths);
  const shown = Math.max(4, ORDER.findLastIndex((symbol) => (lengths[symbol] as number) > 0) + 1);
  bits.put(symbols.length - 257, 5);
  bits.put(distances.length - 1, 5);
  bits.put(shown - 4, 4);
  for (const symbol of ORDER.slice(0, shown)) bits.put(lengths[symbol] as number, 3);
  for (const { symbol, value, extra } of runs) {
    bits.put(own[symbol] as number, lengths[symbol] as number);
    bits.put(value, extra);
  }
}

function runsOf(lengths: readonly number[]): { symbol: number; value: number; extra: number }[] {
  const runs: { symbol: number; value: number; extra: number }[] = [];
  for (let at = 0; at < lengths.length; ) {
    const own = lengths[at] as number;
    let same = 1;
    while (lengths[at + same] === own) same += 1;
    at += same;
    if (own !== 0) {
      runs.push({ symbol: own, value: 0, extra: 0 });
      same -= 1;
    }
    while (same >= 3) {
      const most = own === 0 ? 138 : 6;
      const run = Math.min(same, most);
      if (own !== 0) runs.push({ symbol: 16, value: run - 3, extra: 2 });
      else
        runs.push(
          run > 10 ? { symbol: 18, value: run - 11, extra: 7 } : { symbol: 17, value: run - 3, extra: 3 },
        );
      same -= run;
    }
    for (; same > 0; same -= 1) runs.push({ symbol: own, value: 0, extra: 0 });
  }
  return runs;
}
