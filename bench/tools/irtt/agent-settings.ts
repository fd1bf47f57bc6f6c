/** The agent's settings for irtt: its client's command, and the places of its figures. */
import type { TemplatePart } from "../shared/template.ts";

const command: readonly TemplatePart[] = [
  { words: ["irtt", "client", "-4", "-Q", "-o", "-", "--clock=monotonic"] },
  { words: ["-i", "{interval-ms}ms", "-d", "{duration}s", "-l", "{bytes}"] },
  { words: ["--timeouts=1s,2s,4s", "--wait=3x1s", "{address}:{port}"] },
];

/** How the agent runs irtt's client and reads what it prints. */
export const irttClient = {
  program: "irtt",
  command,
  figures: {
    toolVersion: "version.irtt",
    sent: "stats.packets_sent",
    // Each reply carries the server's count.
    arrived: "stats.server_packets_received",
    duplicates: "stats.duplicates",
    nanoseconds: "stats.duration",
    trips: "round_trips",
  },
  /** Keys of one round trip: `mark` identifies the object, and `lost` has the value `came` if the reply arrived. */
  trip: { mark: "seqno", lost: "lost", came: "false", nanoseconds: "delay.rtt" },
} as const;

/** Pattern of a server's log line for a new test: protocol (none: UDP), address and port. The agent's sink prints the same. */
export const NEW_PEER = "\\[(?:(tcp) )?([0-9a-f.:]{2,45}):(\\d{1,5})\\] \\[NewConn\\]";
