/** Faults of a stand-in cloud, in a file that its plugins read before each step. */
import { existsSync, readFileSync, rmSync, writeFileSync } from "node:fs";

export interface CloudFault {
  /** Name of the affected resource. @default every one */
  readonly resource?: string;
  /** Last part of its type. @default any */
  readonly type?: string;
  /** Requests that still succeed. @default none */
  readonly afterRequests?: number;
  readonly error: string;
}

/** @param fault undefined: no fault any more */
export function writeFault(file: string, fault: CloudFault | undefined): void {
  if (fault === undefined) {
    rmSync(file, { force: true });
  } else {
    writeFileSync(file, JSON.stringify(fault));
  }
}

/** @param requests Number of requests served so far. @throws {Error} with the fault's message, where a step meets it */
export function meetFault(
  file: string | undefined,
  step: { readonly name: string; readonly type: string; readonly requests: number },
): void {
  if (file === undefined || !existsSync(file)) {
    return;
  }
  const fault = JSON.parse(readFileSync(file, "utf8")) as CloudFault;
  const { resource = step.name, type = step.type, afterRequests = 0 } = fault;
  if (resource === step.name && type === step.type && step.requests >= afterRequests) {
    throw new Error(fault.error);
  }
}
