/**
 * `picture.ts`: takes the documents' pictures of pages that sample.ts made in out/. Needs Debian's package chromium.
 */
import { fileURLToPath, pathToFileURL } from "node:url";
import { chromium } from "playwright-core";

const path = (name: string) => fileURLToPath(new URL(`../../${name}`, import.meta.url));

interface Picture {
  readonly page: string;
  /** Its part that is taken. @default the top of the page */
  readonly part?: string;
  readonly width: number;
  /** @default the part's own */
  readonly height?: number;
}

const pictures: Readonly<Record<string, Picture>> = {
  "choose.png": { page: "choose.html#gb-in=10000&gb-out=0", part: "main", width: 1200, height: 456 },
  "report.png": { page: "report.html", width: 900, height: 820 },
  "report-measured.png": { page: "report.html", part: "#verdict", width: 900 },
  "matrix.png": { page: "matrix/report.html", part: "#matrix", width: 1100, height: 620 },
  "history.png": { page: "history.html", width: 900, height: 1060 },
};

const args = ["--headless", "--no-sandbox", "--disable-gpu"];
const browser = await chromium.launch({ executablePath: "/usr/bin/chromium", args });
try {
  for (const [name, { page: from, part = "body", width, height }] of Object.entries(pictures)) {
    const page = await browser.newPage({ viewport: { width, height: 900 } });
    await page.goto(new URL(from, pathToFileURL(path("out/"))).href);
    const own = await page.locator(part).boundingBox();
    const box = part === "body" || own === null ? { x: 0, y: 0, width, height: 0 } : own;
    const clip = { ...box, height: height ?? box.height };
    await page.screenshot({ path: path(`docs/${name}`), clip, fullPage: true });
    await page.close();
  }
} finally {
  await browser.close();
}
