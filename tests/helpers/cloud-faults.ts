/** Faults of a stand-in cloud, in a file that its plugins look into before each step. */
import { existsSync, readFileSync, rmSync, writeFileSync } from "node:fs";

/** What goes wrong from now on. */
export interface CloudFault {
  /** Name of the resource that it happens to. @default every one */
  readonly resource?: string;
  /** Last part of that one's type. @default any */
  readonly type?: string;
  /** Requests that the cloud still serves. @default none */
  readonly afterRequests?: number;
  /** What the cloud says. */
  readonly error: string;
}

/** @param fault undefined: all is well again */
export function writeFault(file: string, fault: CloudFault | undefined): void {
  if (fault === undefined) {
    rmSync(file, { force: true });
  } else {
    writeFileSync(file, JSON.stringify(fault));
  }
}

/** The fault that a step meets. @param requests That the cloud has served. */
export function faultOf(
  file: string | undefined,
  step: { readonly name: string; readonly type: string; readonly requests: number },
): CloudFault | undefined {
  if (file === undefined || !existsSync(file)) {
    return undefined;
  }
  const fault = JSON.parse(readFileSync(file, "utf8")) as CloudFault;
  const { resource = step.name, type = step.type, afterRequests = 0 } = fault;
  return resource === step.name && type === step.type && step.requests >= afterRequests ? fault : undefined;
}
