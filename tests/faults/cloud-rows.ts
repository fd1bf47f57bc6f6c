/** What a cloud refuses or takes away in the middle of an update; `cloud.ts` does it. */
import type { CloudFault } from "../helpers/cloud-faults.ts";

/** Something that goes wrong in a cloud, in the middle of an update. */
export interface CloudRow {
  readonly cloud: "aws" | "azure";
  readonly name: string;
  readonly fault: CloudFault;
  /** Name of a machine that is gone afterwards. @default none */
  readonly evicts?: string;
  /** What the person sees. */
  readonly says: RegExp;
  /** How to go on once the cause is gone. @default `pulumi up` */
  readonly goOn?: "pulumi up --refresh";
}

const CASE = "nat-instance:victim";

export const cloudRows: readonly CloudRow[] = [
  {
    cloud: "aws",
    name: "a quota is reached",
    fault: {
      resource: "nat-instance-client",
      type: "Instance",
      error:
        "VcpuLimitExceeded: You have requested more vCPU capacity than your current vCPU limit of 32 allows",
    },
    says: /nat-instance-client.*VcpuLimitExceeded|VcpuLimitExceeded.*vCPU limit of 32/,
  },
  {
    cloud: "aws",
    name: "a host never comes up",
    fault: {
      resource: "nat-instance-nat-ready",
      error: "after 60 failed attempts: dial tcp 54.0.0.1:22: i/o timeout",
    },
    says: /after 60 failed attempts: dial tcp .*: i\/o timeout/,
  },
  {
    cloud: "aws",
    name: "the credentials expire in the middle",
    fault: {
      afterRequests: 12,
      error: "ExpiredToken: The security token included in the request is expired",
    },
    says: /ExpiredToken: The security token included in the request is expired/,
  },
  {
    cloud: "aws",
    name: "a spot machine is taken away in the middle of a case",
    fault: {
      resource: CASE,
      error: "wait: remote command exited without exit status or exit signal",
    },
    evicts: "nat-instance-client",
    says: /remote command exited without exit status or exit signal/,
    goOn: "pulumi up --refresh",
  },
  {
    cloud: "azure",
    name: "a quota is reached",
    fault: {
      resource: "nat-instance-client",
      type: "VirtualMachine",
      error:
        'Code="QuotaExceeded" Message="Operation could not be completed as it results in exceeding approved Total Regional Cores quota."',
    },
    says: /QuotaExceeded.*Total Regional Cores quota/,
  },
  {
    cloud: "azure",
    name: "a host never comes up",
    fault: {
      resource: "nat-instance-nat-ready",
      error: "after 60 failed attempts: dial tcp 20.0.0.1:22: i/o timeout",
    },
    says: /after 60 failed attempts: dial tcp .*: i\/o timeout/,
  },
  {
    cloud: "azure",
    name: "the credentials expire in the middle",
    fault: {
      afterRequests: 12,
      error:
        'Code="ExpiredAuthenticationToken" Message="The access token expiry UTC time is earlier than current UTC time."',
    },
    says: /ExpiredAuthenticationToken.*The access token expiry UTC time/,
  },
  {
    cloud: "azure",
    name: "a machine restarts in the middle of a case",
    fault: {
      resource: CASE,
      error: "wait: remote command exited without exit status or exit signal",
    },
    says: /remote command exited without exit status or exit signal/,
  },
];
