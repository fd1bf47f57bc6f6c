/** A real Chromium, and its pages' messages. Needs Debian's package `chromium`. */
import { join } from "node:path";
import { type Browser, chromium, type Page } from "playwright-core";

export const sizes = { desktop: { width: 1280, height: 900 }, phone: { width: 390, height: 844 } };
export const screenshots = join(import.meta.dirname, "../../out/screenshots");

export function launchBrowser(): Promise<Browser> {
  return chromium.launch({
    executablePath: "/usr/bin/chromium",
    args: [
      "--headless",
      "--no-sandbox",
      "--disable-gpu",
      "--disable-quic",
      "--no-first-run",
      "--disable-background-networking",
      "--disable-component-update",
      "--disable-sync",
    ],
  });
}

/** Opens a page and records its messages and requests. */
export async function openPage(
  browser: Browser,
  url: string,
  options: Parameters<Browser["newPage"]>[0] = {},
) {
  const page = await browser.newPage({ viewport: sizes.desktop, ...options });
  const said: string[] = [];
  const asked: string[] = [];
  page.on("console", (message) => said.push(`${message.type()}: ${message.text()}`));
  page.on("pageerror", (error) => said.push(`error: ${error.message}`));
  page.on("request", (request) => asked.push(request.url()));
  await page.goto(url);
  return { page, said, asked };
}

export function unfold(page: Page): Promise<void> {
  return page.evaluate("for (const one of document.querySelectorAll('details')) one.open = true");
}

/** Pixels by which a page is wider than its window, without scrolling regions. */
export function overflow(page: Page): Promise<number> {
  return page.evaluate("document.documentElement.scrollWidth - document.documentElement.clientWidth");
}
