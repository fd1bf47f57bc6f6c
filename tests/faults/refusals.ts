/** Configuration that is refused before anything changes. */

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
  { name: "an unknown cloud", configuration: { cloud: "loocal" }, says: /cloud.*azure|azure.*local/ },
  {
    name: "an unknown topology",
    configuration: { topologies: ["nat-instanze"] },
    says: /"nat-instanze" is not a topology of cloud "local"/,
  },
  { name: "no topology", configuration: { topologies: [] }, says: /topologies/ },
  { name: "a topology twice", configuration: { topologies: ["direct", "direct"] }, says: /direct/ },
  {
    name: "a topology's name that is a command",
    configuration: { topologies: [{ topology: "direct", name: "a;reboot" }] },
    says: /a;reboot/,
  },
  { name: "an unknown plan", configuration: { plan: "quik" }, says: /quik.*quick/ },
  { name: "a plan whose file is missing", configuration: { plan: "./none.yaml" }, says: /none\.yaml/ },
  { name: "a run id with a path", configuration: { runId: "../../etc" }, says: /runId/ },
  { name: "an unknown tuning", configuration: { tuning: "turbo" }, says: /tuning/ },
  { name: "no pairs", configuration: { pairs: 0 }, says: /pairs/ },
  { name: "more pairs than the stack has", configuration: iperf3({ pairs: 5 }), says: /pairs/ },
  {
    name: "a negative duration",
    configuration: iperf3({ durationSeconds: -1 }),
    says: /durationSeconds.*-1/,
  },
  {
    name: "a bit rate without a number",
    configuration: iperf3({ protocol: "udp", bitrate: "fast" }),
    says: /bitrate.*fast/,
  },
  { name: "an unknown tool", configuration: plan({ tool: "iperf4" }), says: /iperf4/ },
  {
    name: "a congestion control with a shell command",
    configuration: iperf3({ congestion: "cubic; reboot" }),
    says: /congestion: got "cubic; reboot"/,
  },
  {
    name: "a case with its own command",
    configuration: iperf3({ command: "reboot" }),
    says: /key "command"/,
  },
  {
    name: "a case id with a path",
    configuration: iperf3({ id: "../../etc/passwd" }),
    says: /id: got "\.\.\/\.\.\/etc\/passwd"/,
  },
  {
    name: "a plan name of two lines",
    configuration: { plan: { name: "a\nb", cases: [{ tool: "connect", durationSeconds: 1 }] } },
    says: /name: got "a\\nb"/,
  },
  {
    name: "a case of thirty years",
    configuration: iperf3({ durationSeconds: 1e9 }),
    says: /durationSeconds: got 1000000000; expected whole seconds from 1 to 3600/,
  },
  {
    name: "a million streams",
    configuration: iperf3({ streams: 1e6 }),
    says: /streams: got 1000000; expected .* from 1 to 128/,
  },
  {
    name: "a datagram that IP cannot carry",
    configuration: iperf3({ protocol: "udp", bitrate: "1M", datagramBytes: 70_000 }),
    says: /datagramBytes: got 70000; expected .* from 16 to 65507/,
  },
  {
    name: "UDP without a rate",
    configuration: iperf3({ protocol: "udp" }),
    says: /bitrate: got nothing; protocol udp needs a bit rate/,
  },
  { name: "half a pair", configuration: iperf3({ pairs: 1.5 }), says: /pairs: got 1\.5; expected a whole/ },
  {
    name: "two cases with one id",
    configuration: plan(
      { id: "twice", tool: "connect", durationSeconds: 1 },
      { id: "twice", tool: "connect", durationSeconds: 2 },
    ),
    says: /two cases with id "twice"/,
  },
  {
    name: "a plan without cases",
    configuration: plan(),
    says: /cases: got \[\]; expected at least one case/,
  },
  {
    name: "a plan that repeats 0 times",
    configuration: { plan: { name: "refused", repeat: 0, cases: [{ tool: "connect", durationSeconds: 1 }] } },
    says: /repeat: got 0; expected a whole number from 1 to 100/,
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
