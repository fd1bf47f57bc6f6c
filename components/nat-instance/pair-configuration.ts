/** The configuration of conntrackd in a pair. `@link@` is the interface that leads to the other machine. */
import { CHECK_CLIENT } from "./forwarding-check.ts";
import type { HighAvailability } from "./high-availability-args.ts";

/** The pair's program: `status` and `ready` report; `drain` hands over to the other machine. */
export const HA_PROGRAM = "/usr/local/sbin/egress-bench-ha";

/** UDP port of the copies of connections. */
export const SYNC_PORT = 3780;
/** UDP port of the machines' signs of life. */
export const SIGNS_PORT = 3781;

/** conntrackd's file: connections copied to the other machine, kept aside until a take-over. */
export function conntrackdConfiguration(ha: HighAvailability, idleSeconds: number): string {
  return `${copying(ha, idleSeconds)}${tracking(ha)}`;
}

/** The machines to copy between, and the handling of copies. */
function copying({ self, peer }: HighAvailability, idleSeconds: number): string {
  return `Sync {
	Mode FTFW {
		# What a machine tracked while it was active is stale once it stands by, and in the way of what is committed.
		PurgeTimeout 2
		# Without it an entry gets what it had left when it last changed, less the time since: a flow that has long spoken
		# is committed with seconds, and forgotten before its next packet.
		CommitTimeout ${idleSeconds}
	}
	UDP {
		IPv4_address ${self}
		IPv4_Destination_Address ${peer}
		Port ${SYNC_PORT}
		Interface @link@
		SndSocketBuffer 8388608
		RcvSocketBuffer 8388608
	}
}
`;
}

/** The part that selects which of the kernel's connections are copied. */
function tracking({ self, peer }: HighAvailability): string {
  return `General {
	Systemd Off
	HashSize 65536
	HashLimit 2097152
	Syslog Off
	LockFile /run/egress-bench-conntrackd.lock
	UNIX {
		Path /run/egress-bench-conntrackd.ctl
	}
	NetlinkBufferSize 2097152
	NetlinkBufferSizeMaxGrowth 33554432
	NetlinkOverrunResync On
	Filter From Userspace {
		Protocol Accept {
			TCP
			UDP
			ICMP
		}
		Address Ignore {
			IPv4_address 127.0.0.1
			IPv4_address ${self}
			IPv4_address ${peer}
			IPv4_address ${CHECK_CLIENT}
		}
		State Accept {
			ESTABLISHED CLOSED TIME_WAIT CLOSE_WAIT for TCP
		}
	}
}
`;
}
