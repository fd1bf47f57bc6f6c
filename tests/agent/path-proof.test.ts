/** The server's proof of the address that it saw: a machine on the path cannot get one for another address. */
import { expect, test } from "vitest";
import { talk } from "../helpers/agent-host.ts";
import { preparedHost } from "../helpers/prepared-host.ts";

const server = preparedHost();

test.each([
  ["digits", "0123456789abcdef", true],
  ["digits and an address, which the proof would then cover", "0123456789abcdef\n192.0.2.1", false],
])("for a challenge of %s", async (_, challenge, isProved) => {
  const request = `${JSON.stringify({ op: "whoami", challenge })}\n`;
  const answer = (await talk(server.ports.agent, () => request))[1];
  expect(answer).toMatchObject({ sourceIp: "127.0.0.1" });
  expect("proof" in (answer ?? {})).toBe(isProved);
});
