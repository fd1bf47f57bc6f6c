/**
 * `picture.ts REPORT.html`: saves the top of a report as docs/report.png and its table of measurements as
 * docs/report-measured.png, for README and walkthrough. Needs Debian's package chromium.
 */
import { resolve } from "node:path";
import { fileURLToPath, pathToFileURL } from "node:url";
import { chromium } from "playwright-core";

const report = resolve(process.argv[2] ?? "out/report.html");
const picture = fileURLToPath(new URL("../../docs/report.png", import.meta.url));
const clip = { x: 0, y: 0, width: 900, height: 820 };

const args = ["--headless", "--no-sandbox", "--disable-gpu"];
const browser = await chromium.launch({ executablePath: "/usr/bin/chromium", args });
try {
  const page = await browser.newPage({ viewport: { width: clip.width, height: clip.height } });
  await page.goto(pathToFileURL(report).href);
  await page.screenshot({ path: picture, clip });
  await page.locator("#verdict").screenshot({ path: picture.replace(".png", "-measured.png") });
} finally {
  await browser.close();
}
