import { HA_PROGRAM } from "../nat-instance/index.ts";

/** Seconds for a booted machine to hear the other one, and to copy its connections. */
const SECONDS = 300;

/** Waits until the machine carries its clients, or stands by with everything it needs for that. */
export const waitForPair = [
  `for _ in $(seq ${SECONDS}); do`,
  `  [ ! -s /run/egress-bench-ha ] || ! ${HA_PROGRAM} ready >/dev/null 2>&1 || exit 0`,
  "  sleep 1",
  "done",
  `echo "the pair's machine neither carries nor stands by after ${SECONDS} s" >&2`,
  `${HA_PROGRAM} status >&2`,
  "exit 1",
].join("\n");
