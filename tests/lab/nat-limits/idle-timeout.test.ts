/** In a file of its own, so that its silence runs beside other tests. */
import { expect, test } from "vitest";
import { measure, probeLab } from "../../helpers/nat-probes.ts";

test("a box that forgets silent flows after 20 s", async () => {
  const lab = await probeLab({});
  const timeouts = ["udp_timeout", "udp_timeout_stream", "tcp_timeout_established"];
  lab.run("box", timeouts.map((name) => `sysctl -qw net.netfilter.nf_conntrack_${name}=20`).join("\n"));
  const found = measure(lab, {
    tool: "nat",
    probe: "idle-timeout",
    protocol: ["tcp", "udp"],
    maxSeconds: 23,
  });
  expect(found.map(({ idleTimeout }) => idleTimeout?.protocol)).toEqual(["tcp", "udp"]);
  for (const { idleTimeout } of found) {
    expect(Math.abs((idleTimeout?.survivedSeconds ?? 0) - 20)).toBeLessThanOrEqual(2);
    expect(Math.abs((idleTimeout?.diedSeconds ?? 0) - 20)).toBeLessThanOrEqual(2);
  }
  console.log(JSON.stringify(found));
});
