/** The groups of the index page: its headings, and the Markdown files that are linked at the beginning of list entries. */
export function groupsOf(index: string) {
  const [, ...parts] = index.split(/^## /m);
  return parts.map((part) => ({
    group: part.split("\n", 1)[0] ?? "",
    links: [...part.matchAll(/^- \[([^\]]+)\]\(([^)#]+\.md)\)/gm)].map(([, title = "", path = ""]) => ({
      title,
      path,
    })),
  }));
}
