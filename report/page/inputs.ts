/** The page's inputs: the needs, and the topologies to show. */
import { cloudRecords } from "../../bench/topologies/clouds.ts";
import { topologyNamed } from "../../bench/topologies/index.ts";
import { swatch } from "../charts/palette.ts";
import type { AnswerData } from "../choice/answer.ts";
import { type Needs, numberFields, presentWays, showNumber, switchFields } from "../choice/needs.ts";
import type { LegendEntry } from "../document/document.ts";
import { escapeHtml } from "../text/escape.ts";

/**
 * The inputs: those that decide most answers in sight, the others folded. Hidden until the script shows them, since they need it.
 *
 * @param noRegion Description of the prices if no region is chosen.
 */
export function needsForm(needs: Needs, data: readonly AnswerData[], noRegion = "as measured"): string {
  const numbers = numberFields.map(
    (field) =>
      `<label for="need-${field.name}">${escapeHtml(field.label)}<span class="unit">${escapeHtml(field.unit)}</span>` +
      `<input id="need-${field.name}" aria-describedby="needs-problem" name="${field.name}" inputmode="decimal" autocomplete="off" value="${escapeHtml(showNumber(field, needs))}"></label>`,
  );
  const [fixedAddress, noSinglePoint] = switchFields.map(
    ({ name, key, label }) =>
      `<label class="switch" for="need-${name}"><input type="checkbox" id="need-${name}" name="${name}" autocomplete="off"${needs[key] ? " checked" : ""}>${escapeHtml(label)}</label>`,
  );
  const option = (region: string) =>
    `<option value="${escapeHtml(region)}"${region === (needs.region ?? "") ? " selected" : ""}>${escapeHtml(region || noRegion)}</option>`;
  const options = [
    option(""),
    ...data.map(
      ({ cloud, regions }) =>
        `<optgroup label="${cloudRecords[cloud].title}">${regions.map(option).join("")}</optgroup>`,
    ),
  ];
  const present = data.flatMap(({ ways }) => ways.map(({ out }) => out));
  const nows = ["", ...presentWays.filter((name) => present.includes(name))].map(
    (name) =>
      `<option value="${name}"${name === (needs.now ?? "") ? " selected" : ""}>${escapeHtml(topologyNamed(name)?.title ?? "not given")}</option>`,
  );
  return (
    `<form id="needs" hidden><fieldset><legend>What you need</legend><div class="needs">${numbers.slice(0, 3).join("")}` +
    `<label for="need-region">Prices of region<span class="unit"></span><select id="need-region" name="region" autocomplete="off">${options.join("")}</select></label><label for="need-now">Carries it now<span class="unit"></span><select id="need-now" name="now" autocomplete="off">${nows.join("")}</select></label>${noSinglePoint}</div>` +
    `<details><summary>Connections, machines, zones, address</summary><div class="needs">${numbers.slice(3).join("")}${fixedAddress}</div></details></fieldset>` +
    `<p class="note"><output id="needs-problem"></output> The page's address keeps what you set. Rules: docs/choosing.md.</p></form>`
  );
}

/** Check boxes that select topologies without script, by style rules. */
export function chooser(columns: readonly LegendEntry[]): string {
  const boxes = columns.map(
    ({ index, label }) =>
      `<label><input type="checkbox" id="show-${index}" autocomplete="off" checked>${swatch(index)}${escapeHtml(label)}</label>`,
  );
  return columns.length < 2
    ? ""
    : `<fieldset class="chooser"><legend>Show</legend>${boxes.join("")}</fieldset>`;
}
