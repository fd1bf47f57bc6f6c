/** Configuration that is refused before anything changes, one of each way; unit tests have all refusals. */

/** A refusal: what is configured, and the line that says why not. */
export interface Refusal {
  readonly name: string;
  readonly configuration: Readonly<Record<string, unknown>>;
  readonly says: RegExp;
}

const plan = (...cases: object[]) => ({ plan: { name: "refused", cases } });
const iperf3 = (more: object) => plan({ tool: "iperf3", durationSeconds: 1, ...more });
const range = (length: number) => Array.from({ length }, (_, index) => index + 1);

export const refusals: readonly Refusal[] = [
  { name: "an unknown key", configuration: { topologys: ["direct"] }, says: /topologys/ },
  {
    name: "a topology's name that is a command",
    configuration: { topologies: [{ topology: "direct", name: "a;reboot" }] },
    says: /a;reboot/,
  },
  { name: "a plan whose file is missing", configuration: { plan: "./none.yaml" }, says: /none\.yaml/ },
  { name: "a run id with a path", configuration: { runId: "../../etc" }, says: /runId/ },
  { name: "more pairs than the stack has", configuration: iperf3({ pairs: 5 }), says: /pairs/ },
  {
    name: "a congestion control with a shell command",
    configuration: iperf3({ congestion: "cubic; reboot" }),
    says: /congestion: got "cubic; reboot"/,
  },
  {
    name: "a plan name of two lines",
    configuration: { plan: { name: "a\nb", cases: [{ tool: "connect", durationSeconds: 1 }] } },
    says: /name: got "a\\nb"/,
  },
  { name: "a case id with escape sequences", configuration: iperf3({ id: "\u001b[31mred" }), says: /id/ },
  {
    name: "a sweep of 262,144 cases",
    configuration: iperf3({
      streams: range(64),
      bitrate: range(64).map((n) => `${n}M`),
      datagramBytes: range(64).map((n) => 64 + n),
      protocol: "udp",
    }),
    says: /cases/,
  },
  {
    name: "more measurements than a stack may have",
    configuration: {
      plan: {
        name: "refused",
        repeat: 5,
        cases: [
          {
            tool: "iperf3",
            durationSeconds: 1,
            streams: range(100),
            bitrate: range(10).map((n) => `${n}M`),
          },
        ],
      },
    },
    says: /1000 cases on 1 topologies, 5 times each, are 5000 measurements; expected 4000 at most/,
  },
  {
    name: "a negative delay",
    configuration: { local: { links: { server: { delayMs: -5 } } } },
    says: /delayMs/,
  },
];
