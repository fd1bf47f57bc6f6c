import fc from "fast-check";
import { describe, expect, it } from "vitest";
import {
  cidrContains,
  cidrPrefix,
  cidrsOverlap,
  isEverybody,
  nthAddress,
  nthSubnet,
  parseCidr,
} from "../../components/shared/cidr.ts";
import { samples } from "../helpers/samples.ts";

/** Blocks built from bit strings, as a second way to compute the arithmetic. */
const bits = (length: number) =>
  fc.array(fc.constantFrom("0", "1"), { minLength: length, maxLength: length }).map((all) => all.join(""));
const prefixBits = fc.integer({ min: 0, max: 32 }).chain(bits);
const dotted = (address: string) =>
  [0, 8, 16, 24].map((at) => Number.parseInt(address.slice(at, at + 8), 2)).join(".");
const cidrOf = (prefix: string) => `${dotted(prefix.padEnd(32, "0"))}/${prefix.length}`;

describe("parseCidr", () => {
  it.each([
    ["0.0.0.0/0", 0, 0],
    ["10.0.0.0/8", 0x0a000000, 8],
    ["255.255.255.255/32", 0xffffffff, 32],
    ["192.168.128.0/17", 0xc0a88000, 17],
  ])("reads %s", (text, network, prefix) => {
    expect(parseCidr(text)).toEqual({ network, prefix });
    expect(cidrPrefix(text)).toBe(prefix);
  });

  it.each([
    ["", "not an IPv4 CIDR block"],
    ["10.0.0.0", "not an IPv4 CIDR block; write it like 10.0.0.0/16"],
    ["10.0.0.0/33", "not an IPv4 CIDR block"],
    ["10.0.0.0/08", "not an IPv4 CIDR block"],
    ["0.0.0.0/00", "not an IPv4 CIDR block"],
    ["10.0.0.0/-1", "not an IPv4 CIDR block"],
    ["10.0.0.0/ 8", "not an IPv4 CIDR block"],
    ["10.0.0/8", "not an IPv4 address"],
    ["10.0.0.256/32", "not an IPv4 address"],
    ["10.0.0.010/32", "not an IPv4 address"],
    ["10.0.0.0x1/32", "not an IPv4 address"],
    ["fd00::/8", "not an IPv4 address"],
    ["10.0.0.0/16\n", "not an IPv4 CIDR block"],
    ["10.1.2.3/16", "has host bits set; write 10.1.0.0/16"],
  ])("refuses %j", (text, message) => {
    expect(() => parseCidr(text)).toThrow(message);
  });
});

describe("containment and overlap", () => {
  const nested = fc
    .tuple(bits(32), fc.nat(32), fc.nat(32))
    .map(([address, a, b]) => [address.slice(0, a), address.slice(0, b)] as const);

  it("a block contains another exactly if its bits are the other's first bits; two overlap if one contains the other", () => {
    fc.assert(
      fc.property(fc.oneof(fc.tuple(prefixBits, prefixBits), nested), ([outer, inner]) => {
        const contains = inner.startsWith(outer);
        expect(cidrContains(cidrOf(outer), cidrOf(inner))).toBe(contains);
        expect(cidrContains(cidrOf(outer), dotted(inner.padEnd(32, "0")))).toBe(
          inner.padEnd(32, "0").startsWith(outer),
        );
        expect(cidrsOverlap(cidrOf(outer), cidrOf(inner))).toBe(contains || outer.startsWith(inner));
      }),
      { numRuns: samples(200) },
    );
  });
});

describe("nthAddress", () => {
  it.each([
    ["10.0.1.0/24", 4, "10.0.1.4"],
    ["10.0.1.0/24", -1, "10.0.1.255"],
    ["10.0.0.0/16", 256, "10.0.1.0"],
    ["0.0.0.0/0", -1, "255.255.255.255"],
    ["10.0.0.7/32", 0, "10.0.0.7"],
  ])("%s, %i is %s", (cidr, n, address) => {
    expect(nthAddress(cidr, n)).toBe(address);
  });

  it("is in its block", () => {
    fc.assert(
      fc.property(prefixBits, fc.nat(), (prefix, n) => {
        expect(cidrContains(cidrOf(prefix), nthAddress(cidrOf(prefix), n % 2 ** (32 - prefix.length)))).toBe(
          true,
        );
      }),
    );
  });

  it.each([256, -257, 1.5, Number.NaN])("refuses address %d of a /24", (n) => {
    expect(() => nthAddress("10.0.1.0/24", n)).toThrow(
      `10.0.1.0/24 has 256 addresses; there is no address ${n}`,
    );
  });
});

describe("nthSubnet", () => {
  it.each([
    ["10.0.0.0/16", 24, 2, "10.0.2.0/24"],
    ["10.0.0.0/16", 16, 0, "10.0.0.0/16"],
    ["0.0.0.0/0", 1, 1, "128.0.0.0/1"],
    ["10.0.0.0/30", 32, 3, "10.0.0.3/32"],
  ])("%s into /%i, %i is %s", (cidr, prefix, n, subnet) => {
    expect(nthSubnet(cidr, prefix, n)).toBe(subnet);
  });

  it("is contained, and overlaps no other", () => {
    fc.assert(
      fc.property(prefixBits, fc.nat(8), fc.nat(255), fc.nat(255), (outer, more, a, b) => {
        const prefix = Math.min(32, outer.length + more);
        const count = 2 ** (prefix - outer.length);
        const [one, other] = [a, b].map((n) => nthSubnet(cidrOf(outer), prefix, n % count)) as [
          string,
          string,
        ];
        expect(cidrContains(cidrOf(outer), one)).toBe(true);
        expect(cidrsOverlap(one, other)).toBe(a % count === b % count);
      }),
    );
  });

  it.each([
    ["10.0.0.0/16", 24, 256, "splits into 256 subnets of /24; there is no subnet 256"],
    ["10.0.0.0/16", 24, -1, "there is no subnet -1"],
    ["10.0.0.0/16", 15, 0, "splits into 0 subnets of /15"],
    ["10.0.0.0/16", 33, 0, "splits into 0 subnets of /33"],
  ])("refuses %s into /%i, %i", (cidr, prefix, n, message) => {
    expect(() => nthSubnet(cidr, prefix, n)).toThrow(message);
  });
});

describe("isEverybody", () => {
  it.each([
    [["0.0.0.0/0"], true],
    [["0.0.0.0/1", "128.0.0.0/1"], true],
    [["128.0.0.0/1"], true],
    [["0.0.0.0/2", "64.0.0.0/2"], true],
    [["0.0.0.0/2", "0.0.0.0/2", "0.0.0.0/3", "10.0.0.0/8"], false],
    [["10.0.0.0/8", "172.16.0.0/12", "192.168.0.0/16"], false],
    [[], false],
  ])("%j: %s", (cidrs, all) => {
    expect(isEverybody(cidrs)).toBe(all);
  });

  it("does not depend on how the blocks are split", () => {
    const halves = (cidr: string) => [0, 1].map((n) => nthSubnet(cidr, cidrPrefix(cidr) + 1, n));
    const blocks = fc.uniqueArray(prefixBits.filter(({ length }) => length < 8).map(cidrOf), {
      minLength: 1,
    });
    fc.assert(
      fc.property(blocks, (cidrs) => {
        expect(isEverybody(cidrs.flatMap(halves))).toBe(isEverybody(cidrs));
      }),
    );
  });
});
