/**
 * The fields of AWS VPC flow logs, and their order in a file.
 *
 * Names and versions: https://docs.aws.amazon.com/vpc/latest/userguide/flow-log-records.html
 */

const awsFieldVersions = {
  2: "version account-id interface-id srcaddr dstaddr srcport dstport protocol packets bytes start end action log-status",
  3: "vpc-id subnet-id instance-id tcp-flags type pkt-srcaddr pkt-dstaddr",
  4: "region az-id sublocation-type sublocation-id",
  5: "pkt-src-aws-service pkt-dst-aws-service flow-direction traffic-path",
  6: `resource-type tgw-id tgw-attachment-id tgw-src-vpc-account-id tgw-dst-vpc-account-id tgw-src-vpc-id tgw-dst-vpc-id \
tgw-src-subnet-id tgw-dst-subnet-id tgw-src-eni tgw-dst-eni tgw-src-az-id tgw-dst-az-id tgw-pair-attachment-id \
packets-lost-no-route packets-lost-blackhole packets-lost-mtu-exceeded packets-lost-ttl-expired`,
  7: `ecs-cluster-arn ecs-cluster-name ecs-container-instance-arn ecs-container-instance-id ecs-container-id \
ecs-second-container-id ecs-service-name ecs-task-definition-arn ecs-task-arn ecs-task-id`,
  8: "reject-reason",
  9: "resource-id",
  10: "encryption-status",
} as const;

type Words<Text extends string> = Text extends `${infer First} ${infer Rest}` ? First | Words<Rest> : Text;

export type AwsField = Words<(typeof awsFieldVersions)[keyof typeof awsFieldVersions]>;

/** The fields of some versions, in order. */
const fieldsOf = (...versions: readonly (keyof typeof awsFieldVersions)[]) =>
  versions.flatMap((version) => awsFieldVersions[version].split(" ") as AwsField[]);

const known = new Map<string, AwsField>(
  fieldsOf(2, 3, 4, 5, 6, 7, 8, 9, 10).map((name) => [name.replaceAll("-", ""), name]),
);

/** Default fields of a record: all of version 2, in their order. */
const defaultAwsFields: readonly AwsField[] = fieldsOf(2);

/** Fields of the Athena table in AWS's guide: versions 2 to 5. */
export const defaultTableFields: readonly AwsField[] = fieldsOf(2, 3, 4, 5);

/** Fields without which traffic cannot be counted. */
const needed: readonly AwsField[] = ["srcaddr", "dstaddr", "bytes", "start", "end"];

/** An unusable format. The message says what was expected and what to do. */
export class FormatError extends Error {
  override readonly name = "FormatError";
}

/**
 * The field of a name: `${pkt-srcaddr}`, `pkt_srcaddr`, `PKT-SRCADDR` and `pktSrcAddr` (settings, Parquet, Athena, Logs Insights)
 * are `pkt-srcaddr`.
 */
export function fieldName(token: string): AwsField | undefined {
  return known.get(
    token
      .replace(/^\$\{(.*)\}$/, "$1")
      .toLowerCase()
      .replaceAll(/[_-]/g, ""),
  );
}

/** The fields of a header line, or of a format as in a flow log's settings; null: the line is no header. */
function fieldsOfHeader(line: string): readonly AwsField[] | null {
  const names = line.trim().split(/\s+/).map(fieldName);
  return names.every((name) => name !== undefined) ? names : null;
}

/** The fields of a written format. @throws {FormatError} naming what is not a field, or is missing. */
export function parseFormat(text: string): readonly AwsField[] {
  const names = text.trim().split(/[\s,]+/);
  const unknown = names.find((name) => fieldName(name) === undefined);
  if (unknown !== undefined) {
    throw new FormatError(
      `expected names of flow log fields, such as "version srcaddr dstaddr bytes start end"; "${unknown}" is not one`,
    );
  }
  return checkFields(names.flatMap((name) => fieldName(name) ?? []));
}

/** Makes sure that traffic can be counted with these fields. @throws {FormatError} */
export function checkFields(fields: readonly AwsField[]): readonly AwsField[] {
  const missing = needed.filter((name) => !fields.includes(name));
  if (missing.length > 0) {
    throw new FormatError(
      `the log's format lacks ${missing.join(", ")}; set up a flow log that has at least ${needed.join(", ")}`,
    );
  }
  const twice = fields.find((name, index) => fields.indexOf(name) !== index);
  if (twice !== undefined) {
    throw new FormatError(`the log's format names ${twice} twice; name each field once`);
  }
  return fields;
}

export interface TextFormat {
  readonly fields: readonly AwsField[];
  /** Whether each line starts with its CloudWatch Logs ingestion time, as in exports. */
  readonly timestamped: boolean;
  /** Whether the file begins with the fields' names. */
  readonly header: boolean;
}

const timestamp = /^\d{4}-\d\d-\d\dT\d\d:\d\d:\d\d\S*Z$/;

/**
 * The format of a file by its first line.
 *
 * @param given Named fields, used for files without a header.
 * @throws {FormatError} when the first line does not show the format.
 */
export function textFormat(firstLine: string, given?: readonly AwsField[]): TextFormat {
  const header = fieldsOfHeader(firstLine);
  if (header !== null) {
    return { fields: checkFields(header), timestamped: false, header: true };
  }
  const tokens = firstLine.trim().split(" ");
  const timestamped = timestamp.test(tokens[0] ?? "");
  const values = timestamped ? tokens.slice(1) : tokens;
  if (given !== undefined) {
    return { fields: given, timestamped, header: false };
  }
  if (values.length === defaultAwsFields.length && values[0] === "2") {
    return { fields: defaultAwsFields, timestamped, header: false };
  }
  throw new FormatError(
    `the file has no header, and its first line does not have the ${defaultAwsFields.length} fields of the default format; name the fields with --format "version srcaddr ..."`,
  );
}
