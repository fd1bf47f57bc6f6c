import { expect, test } from "vitest";
import { ports, receiverPorts, testPorts } from "../../../bench/ports.ts";

test("a server's firewall has as few rules as its ports allow", () => {
  expect(testPorts).toEqual({
    tcp: [
      { first: 5000, last: 5065 },
      { first: 5200, last: 5201 },
      { first: 5203, last: 5204 },
      { first: 11111, last: 11111 },
    ],
    udp: [
      { first: 5066, last: 5129 },
      { first: 5201, last: 5201 },
      { first: 5204, last: 5205 },
      { first: 11111, last: 11111 },
    ],
  });
});

test("every port is open to some protocol, a client's only for what connects to it", () => {
  const open = [...testPorts.tcp, ...testPorts.udp];
  for (const port of Object.values(ports)) {
    expect(open.filter(({ first, last }) => first <= port && port <= last)).not.toEqual([]);
  }
  expect(receiverPorts).toEqual({
    tcp: [
      { first: 5000, last: 5065 },
      { first: 5200, last: 5200 },
    ],
    udp: [{ first: 5066, last: 5129 }],
  });
});
