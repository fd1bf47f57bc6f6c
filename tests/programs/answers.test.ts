/**
 * The program's answers compared with a model of the published rules, which shares no code with it: `npm run bench --
 * answers`.
 */
import { expect, it } from "vitest";
import { answers } from "../bench/answers/answers.ts";

it("agree on 2,000 random demands and a sweep of both clouds: status, addresses, gateways, bills and picks", async () => {
  expect(await answers()).toEqual(["2044 demands, 0 with another answer than by the published rules"]);
});
