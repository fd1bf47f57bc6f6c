/** Tuning scripts in network namespaces: their changes, and that they undo only their own. */
import { expect, test } from "vitest";
import { runInHost } from "../../components/local/lab/enter.ts";
import { tuningProfiles } from "../../components/tuning/profiles.ts";
import { applyScript, undoOwnScript, undoScript } from "../../components/tuning/script.ts";
import { startHosts, testLab } from "../helpers/lab-hosts.ts";

const watched = ["net.ipv4.tcp_rmem", "net.ipv4.tcp_wmem", "net.ipv4.tcp_no_metrics_save"];
const wanted = ["4096 131072 33554432", "4096 65536 33554432", "1"];
const throughput = (owner: string) => applyScript("throughput", tuningProfiles.throughput, owner);
const other = [{ key: "net.ipv4.tcp_wmem", value: "4096 16384 1048576", why: "" }];

async function host() {
  const lab = testLab();
  await startHosts(lab, "tuned");
  const run = (script: string) => runInHost(lab, "tuned", `export HOME=/root; ${script}`);
  const values = () =>
    run(`sysctl -n ${watched.join(" ")}`)
      .trim()
      .split("\n")
      .map((line) => line.replaceAll("\t", " "));
  const kept = (file: string) => run(`cat /root/.egress-bench/tuning/${file} 2>/dev/null || :`).trim();
  return { run, values, kept };
}

test("applies a profile, reports refused settings, and undoes it", async () => {
  const { run, values, kept } = await host();
  const before = values();
  expect(before).not.toEqual(wanted);
  run(throughput("a"));
  expect(values()).toEqual(wanted);
  expect(kept("profile")).toBe("throughput");
  expect(kept("notes")).toContain("net.core.netdev_max_backlog");
  expect(kept("notes")).not.toContain("tcp_rmem");
  run(undoOwnScript("a"));
  expect(values()).toEqual(before);
  expect(kept("profile")).toBe("");
  run(undoScript); // once more does nothing
  expect(values()).toEqual(before);
});

test("another profile undoes the old one first, and keeps the original values to return to", async () => {
  const { run, values, kept } = await host();
  const before = values();
  run(throughput("a"));
  run(applyScript("other", other, "b"));
  expect(values()).toEqual([before[0], "4096 16384 1048576", before[2]]);
  expect(kept("profile")).toBe("other");
  run(undoOwnScript("a")); // its time is over
  expect(values()[1]).toBe("4096 16384 1048576");
  run(undoScript);
  expect(values()).toEqual(before);
});

test("after a reboot, which undoes it, nothing is set to another boot's values", async () => {
  const { run, values } = await host();
  run(throughput("a"));
  run("echo another-boot > /root/.egress-bench/tuning/boot");
  run(undoScript);
  expect(values()).toEqual(wanted);
});

test("gives the default route's interface the internet's MTU, and restores its own", async () => {
  const { run } = await host();
  run(
    "ip link add wide type veth peer name far && ip link set far up && ip link set wide mtu 9001 up && ip route replace default dev wide",
  );
  const mtu = () => /mtu (\d+)/.exec(run("ip link show dev wide"))?.[1];
  run(applyScript("mtu-1500", tuningProfiles["mtu-1500"], "a"));
  expect(mtu()).toBe("1500");
  run(undoOwnScript("a"));
  expect(mtu()).toBe("9001");
});
