/** Filters before a machine of a pair, like a cloud's security group, for arriving and leaving packets. */

/** An untracked one passes everything. A stateful one admits replies to packets that left by the same machine. */
export const GROUPS = [
  "an untracked group",
  "a stateful group",
  "a stateful group without mid-stream pickup",
] as const;
export type Group = (typeof GROUPS)[number];

/** Rules on the cloud's router. Each machine's group knows only its own connections. */
export function groupRules(group: Group, server: string): string {
  const links = ["one", "two"];
  const zones = links.map(
    (link, at) => `iifname ${link} ip daddr ${server} ct zone set ${at + 1}
iifname server fib daddr oifname ${link} ct zone set ${at + 1}`,
  );
  const between = "{ one, two, server }";
  const refused = `iifname server ct state != { established, related } drop`;
  const middle = "oifname server tcp flags & (syn | ack) != syn ct state new drop";
  const rules = {
    "an untracked group": ["", `iifname ${between} notrack`],
    "a stateful group": [refused, zones.join("\n")],
    "a stateful group without mid-stream pickup": [`${refused}\n${middle}`, zones.join("\n")],
  }[group];
  return `table ip group {
chain zones {
type filter hook prerouting priority raw
${rules[1]}
}
chain forward {
type filter hook forward priority filter
${rules[0]}
}
}
`;
}
