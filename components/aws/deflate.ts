/**
 * Compression whose bytes are the same wherever it runs. zlib's own depend on its release and on the processor, and other
 * user data is another machine.
 *
 * @module
 */
import { Buffer } from "node:buffer";

const LEAST_MATCH = 3;
const MOST_MATCH = 258;
const WINDOW = 32_768;
/** Earlier places of the same three bytes that are looked at. */
const MOST_CANDIDATES = 64;

interface Match {
  readonly length: number;
  readonly distance: number;
}

/** As RFC 1951 has it, in one block of fixed codes: each time the longest match there is, the nearest of equal ones. */
export function deflate(bytes: Uint8Array): Buffer {
  const bits = new Bits();
  // The last block, of fixed codes.
  bits.value(0b011, 3);
  const places = new Map<number, number[]>();
  for (let at = 0; at < bytes.length; ) {
    const match = longestMatch(bytes, at, places);
    if (match === undefined) {
      bits.symbol(bytes[at] as number);
    } else {
      bits.match(match);
    }
    for (const end = at + (match?.length ?? 1); at < end; at += 1) {
      const key = keyAt(bytes, at);
      places.set(key, [...(places.get(key) ?? []).slice(1 - MOST_CANDIDATES), at]);
    }
  }
  bits.symbol(END_OF_BLOCK);
  return bits.end();
}

function keyAt(bytes: Uint8Array, at: number): number {
  return ((bytes[at] ?? 0) << 16) | ((bytes[at + 1] ?? 0) << 8) | (bytes[at + 2] ?? 0);
}

function longestMatch(
  bytes: Uint8Array,
  at: number,
  places: ReadonlyMap<number, readonly number[]>,
): Match | undefined {
  const most = Math.min(MOST_MATCH, bytes.length - at);
  let best: Match | undefined;
  for (const place of [...(places.get(keyAt(bytes, at)) ?? [])].reverse()) {
    let length = 0;
    while (length < most && bytes[place + length] === bytes[at + length]) {
      length += 1;
    }
    const distance = at - place;
    if (length >= LEAST_MATCH && length > (best?.length ?? 0) && distance <= WINDOW) {
      best = { length, distance };
    }
  }
  return best;
}

const END_OF_BLOCK = 256;
const FIRST_LENGTH = 257;

/** Of each code of lengths, and of distances: the least, and how many bits tell what it is beyond that. */
const lengths = ranges([8, 4, 4, 4, 4, 4], LEAST_MATCH);
const distances = ranges([4, ...Array.from({ length: 13 }, () => 2)], 1);

/** @param counts Codes with 0, 1, 2... bits more. */
function ranges(
  counts: readonly number[],
  first: number,
): readonly (readonly [least: number, bits: number])[] {
  const all: (readonly [number, number])[] = [];
  let least = first;
  for (const [bits, count] of counts.entries()) {
    for (let code = 0; code < count; code += 1) {
      all.push([least, bits]);
      least += 2 ** bits;
    }
  }
  return all;
}

class Bits {
  readonly #bytes: number[] = [];
  #pending = 0;
  #count = 0;

  /** The least significant bit first. */
  value(value: number, count: number): void {
    for (let bit = 0; bit < count; bit += 1) {
      this.#pending |= ((value >> bit) & 1) << this.#count;
      this.#count += 1;
      if (this.#count === 8) {
        this.#bytes.push(this.#pending);
        [this.#pending, this.#count] = [0, 0];
      }
    }
  }

  /** The most significant bit first, as codes are. */
  #code(code: number, count: number): void {
    for (let bit = count - 1; bit >= 0; bit -= 1) {
      this.value((code >> bit) & 1, 1);
    }
  }

  /** A byte, the end, or a length. */
  symbol(symbol: number): void {
    if (symbol < 144) this.#code(0x30 + symbol, 8);
    else if (symbol < 256) this.#code(0x190 + symbol - 144, 9);
    else if (symbol < 280) this.#code(symbol - 256, 7);
    else this.#code(0xc0 + symbol - 280, 8);
  }

  match({ length, distance }: Match): void {
    // The longest has a code of its own.
    const of = length === MOST_MATCH ? lengths.length : lengths.findLastIndex(([least]) => least <= length);
    const [least, more] = lengths[of] ?? [MOST_MATCH, 0];
    this.symbol(FIRST_LENGTH + of);
    this.value(length - least, more);
    const code = distances.findLastIndex(([from]) => from <= distance);
    const [from, bits] = distances[code] as readonly [number, number];
    this.#code(code, 5);
    this.value(distance - from, bits);
  }

  end(): Buffer {
    this.value(0, (8 - this.#count) % 8);
    return Buffer.from(this.#bytes);
  }
}
