/** The NAT probes' findings without a NAT; command lines: command-lines.test.ts. */
import { spawnSync } from "node:child_process";
import { join } from "node:path";
import { describe, expect, it } from "vitest";
import { CLOSED_PORT } from "../helpers/ports.ts";
import { preparedHost } from "../helpers/prepared-host.ts";

const server = preparedHost();

const PROGRAM = () => join(server.directory, "nat_limits.py");
/** What a probe of this host prints. */
const probe = (options: string) =>
  JSON.parse(
    spawnSync("python3", [PROGRAM(), ...`${options} --address 127.0.0.1`.split(" ")], { encoding: "utf8" })
      .stdout,
  );

describe("the probes without a NAT", () => {
  it("connect at a rate, in several processes, and count failures", async () => {
    const rate = (port: number) => probe(`connection-rate --port ${port} --duration 0.5`);
    const good = rate(server.ports.connect);
    expect(good).toMatchObject({ probe: "connection-rate", failed: 0, errors: {}, durationSeconds: 0.5 });
    expect(good.attempted).toBeGreaterThan(100);
    expect(good.latencyUs.samples).toBe(good.attempted);
    const refused = rate(CLOSED_PORT);
    expect(refused.failed).toBe(refused.attempted);
    expect(refused.errors).toEqual({ ECONNREFUSED: refused.attempted });
  });

  it.each(["tcp", "udp"])("open no %s flow where nothing answers", async (protocol) => {
    const options = `--port ${CLOSED_PORT} --protocol ${protocol} --duration 5 --max-flows 500`;
    expect(probe(`concurrent-flows ${options}`)).toMatchObject({
      opened: 0,
      limitReached: true,
      error: "ECONNREFUSED",
    });
  });

  it("hold fewer connections than requested if the client may open no more files, and report that", () => {
    const port = String(server.ports.nat);
    const options = `--address 127.0.0.1 --port ${port} --protocol tcp --duration 5 --max-flows 500`;
    const script = `ulimit -n 200; exec python3 ${PROGRAM()} concurrent-flows ${options}`;
    const { stdout } = spawnSync("sh", ["-c", script], { encoding: "utf8" });
    const { opened, bound, limitReached, error } = JSON.parse(stdout);
    expect({ limitReached, error }).toEqual({ limitReached: false, error: "EMFILE" });
    expect(opened).toBe(bound);
    expect(opened).toBeGreaterThan(150);
    expect(opened).toBeLessThan(200);
  });
});
