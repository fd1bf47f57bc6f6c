/** Settings of one machine of a pair, whose moving address is 10.0.0.9. */
export const machineOfPair = {
  self: "10.0.0.5",
  peer: "10.0.0.6",
  translatedTo: "10.0.0.9",
  move: { kind: "nothing" },
  check: { address: "192.0.2.1", port: 443 },
} as const;
