/** Facts of a machine size, as its cloud publishes them. */
import type { PricedCloud } from "../topologies/clouds.ts";

/** CPU credits of a burstable size. One credit is one vCPU at full load for a minute. */
export interface CpuCredits {
  /** Share of its CPUs that a machine may use without end, in percent. */
  readonly baselinePercent: number;
  readonly perHour: number;
  /** Credits of a new machine. */
  readonly initial: number;
  readonly most: number;
}

/** One size of a cloud's machines. */
export interface Machine {
  readonly cloud: PricedCloud;
  /** As the cloud writes it: `t4g.micro`, `Standard_B2ats_v2`. */
  readonly size: string;
  readonly vcpus: number;
  /** Limit of one interface. Each of several network cards has as much. */
  readonly network: {
    /** Sustained bits per second; null: the cloud publishes none. */
    readonly baselineBitsPerSecond: number | null;
    /** Peak bits per second; null: the cloud publishes none. */
    readonly peakBitsPerSecond: number | null;
  };
  /** Null: not burstable, or the cloud publishes no credits for the size. */
  readonly credits: CpuCredits | null;
  /** Whether the cloud calls it burstable, so that its CPUs may be slowed down. */
  readonly burstable: boolean;
  /** Accelerated networking on Azure, the Elastic Network Adapter on AWS. */
  readonly acceleratedNetworking: boolean;
  /** Size of the local disk that is lost when the machine stops; 0: none. */
  readonly temporaryDiskGib: number;
  /** Disk interface. Null: the cloud's page does not say. */
  readonly diskController: "scsi" | "nvme" | null;
  /** Whether an account of the cloud's free plan may run it. */
  readonly freePlan: boolean;
  /** Null: not in the table. */
  readonly memoryGib: number | null;
  /** Seconds of silence after which a security group forgets a TCP connection. Null: the cloud publishes none. */
  readonly trackedTcpSeconds: number | null;
}

/** The meter of a size's price in a price book. */
export function machineMeter(size: string): string {
  return `vm-hour:${size}`;
}
