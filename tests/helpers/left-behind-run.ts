/** A run that leaves a lab host and a process behind when killed: `left-behind-run.ts <lab>` reports when both exist. */
import { spawn } from "node:child_process";
import { startHosts } from "./lab-hosts.ts";
import { guardLab, guardRun } from "./left-behind.ts";

const [lab = ""] = process.argv.slice(2);
guardRun();
guardLab(lab);
await startHosts(lab, "client");
spawn("sh", ["-c", "while :; do sleep 1; done", lab], { detached: true, stdio: "ignore" }).unref();
process.stdout.write("ready\n");
setInterval(() => {}, 1000);
