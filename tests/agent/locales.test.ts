/**
 * A host whose locale writes a decimal comma (de_DE), or has a dotless i (tr_TR): its figures do not change. The locales
 * are made for the test; a machine without their sources tests only their names.
 */
import { execFileSync, spawnSync } from "node:child_process";
import { existsSync, mkdtempSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { afterAll, describe, expect, it } from "vitest";
import { prepareReportSchema } from "../../bench/agent/protocol.ts";
import { jsonOf } from "../../bench/agent/read-report.ts";
import { parseIperf3 } from "../../bench/tools/iperf3/parse.ts";
import { agentHost } from "../helpers/agent-host.ts";
import { iperf3Of, observed } from "../helpers/agent-runs.ts";
import { ended, iperf3Case } from "../unit/bench/fixture.ts";

const LOCPATH = mkdtempSync(join(tmpdir(), "egress-bench-locales-"));
afterAll(() => rmSync(LOCPATH, { recursive: true }));

const SAYS = `python3 -c 'import locale; locale.setlocale(locale.LC_ALL, ""); print(locale.str(1.5))'`;

describe.each(["de_DE", "tr_TR"])("with LC_ALL=%s", (name) => {
  const locale = `${name}.UTF-8`;
  const isMade =
    existsSync(`/usr/share/i18n/locales/${name}`) &&
    // Status 1: a warning.
    [0, 1].includes(spawnSync("localedef", ["-i", name, "-f", "UTF-8", join(LOCPATH, locale)]).status ?? -1);
  const env = { LOCPATH, LC_ALL: locale, LANG: locale };

  it.runIf(isMade)("a program that uses its locale writes a comma", () => {
    expect(execFileSync("sh", ["-c", SAYS], { env: { ...process.env, ...env }, encoding: "utf8" })).toBe(
      "1,5\n",
    );
  });

  it("tools write a point, so hosts, samples and figures can be read", async () => {
    const host = await agentHost("server", env);
    try {
      const { status, stdout, stderr } = await host.prepare();
      expect({ status, stderr }).toEqual({ status: 0, stderr: "" });
      expect(prepareReportSchema.parse(JSON.parse(jsonOf(stdout))).facts.tools.iperf3).toMatch(/^3\.\d/);
      const command = `${SAYS} >&2; ${iperf3Of(host, "-t 2 -b 8M")}`;
      const report = await host.run({ key: name, command, reducer: "iperf3", observe: [observed(host)] });
      expect(report).toMatchObject({ failure: null, stderr: "1.5\n", hosts: [{ problem: null }] });
      expect(report.hosts[0]?.network?.udp?.arrivedDatagrams).toBeGreaterThanOrEqual(0);
      expect(report.hosts[0]?.cpu?.busyPercent).toBeGreaterThanOrEqual(0);
      const { measurement } = parseIperf3(report.stdout, ended(iperf3Case));
      expect(measurement.bitsPerSecond).toBeGreaterThan(0);
    } finally {
      await host.dispose();
    }
  });
});
