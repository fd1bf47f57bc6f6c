/** ntttcp's cases and parsed output, for the tool's tests. */

import { ntttcp } from "../../../bench/tools/ntttcp/index.ts";
import type { NtttcpCase } from "../../../bench/tools/ntttcp/plan.ts";
import type { ParseContext } from "../../../bench/tools/tool.ts";
import { failureOf } from "../../helpers/tool-failure.ts";
import { ended, fixture, ntttcpCase } from "./fixture.ts";

export const tcp = ntttcpCase;
export const udp: NtttcpCase = { ...tcp, protocol: "udp", streams: 2, datagramBytes: 1400, omitSeconds: 0 };

type How = Partial<ParseContext<NtttcpCase>>;
export const parse = (stdout: string, asked = tcp, how: How = {}) => ntttcp.parse(stdout, ended(asked, how));
export const failure = (stdout: string, asked = tcp, how: How = {}) => {
  const { failureClass, message } = failureOf(() => parse(stdout, asked, how));
  return { class: failureClass, message };
};
export const recorded = (name: string) => fixture(`ntttcp/${name}`);
