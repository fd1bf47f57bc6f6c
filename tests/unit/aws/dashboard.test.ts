/**
 * CloudWatch's dashboard by AWS's description of its body (API reference, "Dashboard Body Structure and Syntax"), its grid, and its
 * expressions. That it shows what the machines publish: tests/components/aws/cloudwatch.test.ts. Not proved: the console's drawing.
 */
import { expect, test } from "vitest";
import { z } from "zod";
import { dashboardBody } from "../../../components/aws/operators/alarms.ts";
import { overlaps } from "../../helpers/grid.ts";

const yAxis = z.strictObject({
  label: z.string().optional(),
  min: z.number().optional(),
  max: z.number().optional(),
  showUnits: z.boolean().optional(),
});

const options = z.strictObject({
  id: z
    .string()
    .regex(/^[a-z][a-zA-Z0-9_]*$/)
    .optional(),
  label: z.string().optional(),
  visible: z.boolean().optional(),
  yAxis: z.enum(["left", "right"]).optional(),
});

const published = z.tuple([z.string(), z.string(), z.literal("NatInstance"), z.string(), options]);
const computed = z.tuple([options.extend({ expression: z.string() })]);

const body = z.strictObject({
  widgets: z
    .array(
      z.strictObject({
        type: z.literal("metric"),
        x: z.int().min(0).max(23),
        y: z.int().min(0),
        width: z.int().min(1).max(24),
        height: z.int().min(1).max(1000),
        properties: z.strictObject({
          title: z.string(),
          region: z.string(),
          stat: z.enum(["Average", "Sum", "Minimum", "Maximum", "SampleCount"]),
          period: z.int().multipleOf(60),
          view: z.enum(["timeSeries", "singleValue", "gauge", "bar", "pie"]),
          stacked: z.boolean(),
          yAxis: z.strictObject({ left: yAxis.optional(), right: yAxis.optional() }),
          annotations: z
            .strictObject({ horizontal: z.array(z.strictObject({ label: z.string(), value: z.number() })) })
            .optional(),
          metrics: z.array(z.union([published, computed])).min(1),
        }),
      }),
    )
    .max(500),
});

const dashboards = [
  ["a machine", ["n-nat"]],
  ["a pair", ["n-nat-1", "n-nat-2"]],
] as const;

test.each(dashboards)("the dashboard of %s fits AWS's structure and its 24 columns", (_, machines) => {
  const { widgets } = body.parse(dashboardBody("Mine/Nat", machines, "eu-north-1"));
  expect(overlaps(widgets)).toEqual([]);
  for (const { x, width } of widgets) expect(x + width).toBeLessThanOrEqual(24);
});

test.each(dashboards)(
  "of %s every figure by time is divided by the period, which CloudWatch changes",
  (_, machines) => {
    const { widgets } = body.parse(dashboardBody("Mine/Nat", machines, "eu-north-1"));
    for (const { properties } of widgets) {
      const lines = properties.metrics;
      const ids = lines.flatMap((line) => (line.length === 1 ? [] : (line[4].id ?? [])));
      const hidden = lines.filter((line) => line.length > 1 && line[4]?.visible === false).length;
      const expressions = lines.flatMap((line) => (line.length === 1 ? line[0].expression : []));
      expect(expressions).toHaveLength(/ a second/.test(properties.title) ? machines.length : 0);
      expect(hidden).toBe(expressions.length);
      expect(new Set(ids).size).toBe(ids.length);
      expressions.forEach((expression, at) => {
        expect(expression).toBe(
          `${properties.title.startsWith("Bits") ? 8 : 1} * m${at + 1} / PERIOD(m${at + 1})`,
        );
        expect(ids).toContain(`m${at + 1}`);
      });
      expect(properties.title).not.toMatch(/ a minute/);
    }
  },
);
