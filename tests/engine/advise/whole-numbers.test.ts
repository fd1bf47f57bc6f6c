/** Records with numbers in other notations, which the engine would read as whole ones. */
import { expect, it } from "vitest";
import { awsLine, awsLog, azureLog, minuteOfTraffic, trafficOf } from "../../helpers/flow-logs.ts";

const record = { ...minuteOfTraffic, bytes: 1000 };
const notWhole = "bytes, packets or times are not whole numbers";
const written = ["many", "12.5", "1e3", "1_000", "+1000", "0x10", "01000", "1000."];

it("lines of AWS are counted by reason", async () => {
  const line = awsLine(record);
  const broken = [
    ...written.map((bytes) => line.replace(" 1000 ", ` ${bytes} `)),
    line.replace(` ${record.start} `, ` ${record.start}.5 `),
    line.replace(" 6 1 ", " 6 1e0 "),
  ];
  const port = line.replace(" 443 ", " 4.43e2 ");
  const traffic = await trafficOf({ "a.log": `${awsLog([record])}${[...broken, port].join("\n")}\n` });
  expect(traffic.total).toMatchObject({ outBytes: 1000 });
  expect(traffic.logs.bad).toMatchObject([
    { reason: notWhole, count: broken.length },
    { reason: "port or protocol out of range", count: 1 },
  ]);
});

it("tuples of Azure are counted by reason", async () => {
  const tuple = (bytes: string) =>
    `${record.start * 1000},10.0.0.1,192.0.2.1,2000,443,6,O,E,NX,1,${bytes},2,3000`;
  const traffic = await trafficOf({ "a.json": azureLog({ A: ["1000", ...written].map(tuple) }) });
  expect(traffic.total).toMatchObject({ outBytes: 1000, inBytes: 3000 });
  expect(traffic.logs.bad).toMatchObject([{ reason: notWhole, count: written.length }]);
});
