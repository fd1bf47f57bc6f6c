/** Colours text on terminals. */
import { styleText } from "node:util";

type Style = Parameters<typeof styleText>[0];

/** A stream for text. */
export interface ColourStream {
  readonly isTTY?: boolean;
}

/** Text in a style on a terminal; plain elsewhere and where `NO_COLOR` is set (https://no-color.org). */
export function paint(
  { isTTY }: ColourStream,
  style: Style,
  text: string,
  environment: Readonly<Record<string, string | undefined>> = process.env,
): string {
  return isTTY && !environment.NO_COLOR && environment.TERM !== "dumb"
    ? styleText(style, text, { validateStream: false })
    : text;
}
