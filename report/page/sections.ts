/**
 * The page's sections in their order, the answer first.
 *
 * @module
 */
import type { Report } from "../report.ts";
import { answer, baseline, cost, live, regions, trend } from "./answer-sections.ts";
import {
  cases,
  conditions,
  failover,
  failures,
  library,
  natLimits,
  published,
  verdict,
} from "./measured-sections.ts";
import { pictures, seconds } from "./pictures.ts";

/** One part of the page, with a heading and a place in the contents. */
export interface Section {
  readonly id: string;
  readonly heading: string;
  /** Empty: there is no such section. */
  readonly content: string;
}

/** All sections, those without content included. */
export function sectionsOf(report: Report): Section[] {
  return [
    { id: "answer", heading: "What to pick", content: answer(report) },
    { id: "sizing", heading: "How many do I need?", content: live(report, "sizing") },
    { id: "cost", heading: "Cost", content: cost(report) },
    { id: "regions", heading: "Region by region", content: regions(report) },
    { id: "trend", heading: "Over time", content: trend(report) },
    { id: "baseline", heading: "Since the baseline", content: baseline(report) },
    { id: "verdict", heading: "What was measured", content: verdict(report) },
    { id: "failures", heading: "What failed and why", content: failures(report) },
    { id: "pictures", heading: "Pictures", content: pictures(report) },
    { id: "seconds", heading: "Second by second", content: seconds(report) },
    { id: "published", heading: "Published by others", content: published(report) },
    { id: "library", heading: "The results library", content: library(report) },
    { id: "nat-limits", heading: "NAT limits", content: natLimits(report) },
    { id: "failover", heading: "When the NAT instance fails", content: failover(report) },
    { id: "cases", heading: "All cases", content: cases(report) },
    { id: "conditions", heading: "Conditions", content: conditions(report) },
  ];
}
