import type { QuotaDemand } from "../../stacks/quota/quota-demand.ts";

/** The page of a cloud's quotas as Markdown: one row per stack and quota. */
export function quotaPage({
  title,
  intro,
  rows,
}: {
  title: string;
  intro: string;
  rows: readonly {
    readonly name: string;
    readonly whole: readonly QuotaDemand[];
    readonly small: readonly QuotaDemand[];
  }[];
}): string {
  const lines = rows.flatMap(({ name, whole, small }) => {
    const all = [...whole, ...small.filter((one) => !whole.some((other) => isSame(one, other)))];
    return all.map((demand) => {
      const amount = (of: readonly QuotaDemand[]) => of.find((one) => isSame(one, demand))?.amount ?? 0;
      const cells = [
        `\`${name}\``,
        demand.region ?? "",
        demand.title,
        `\`${demand.quota}\``,
        `${amount(whole)} / ${amount(small)}`,
      ];
      return `| ${cells.join(" | ")} |`;
    });
  });
  const head = "| stack | region | what | quota | as it is / small |\n|---|---|---|---|---|";
  return `# ${title}\n\nWritten by a test; change nothing by hand.\n\n${intro}\n\n${head}\n${lines.join("\n")}\n`;
}

function isSame(one: QuotaDemand, other: QuotaDemand): boolean {
  return one.quota === other.quota && one.region === other.region;
}
