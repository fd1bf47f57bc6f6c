/**
 * What conntrackd and keepalived of a pair of NAT instances read. `@link@` is the interface that leads to the other machine.
 *
 * @module
 */
import { CHECK_CLIENT } from "./forwarding-check.ts";
import type { HighAvailability } from "./high-availability-args.ts";
import { ESTABLISHED_SECONDS } from "./sysctls.ts";

/** Called by keepalived, by a shutdown, and by hand: `egress-bench-ha drain` hands over to the other machine. */
export const HA_PROGRAM = "/usr/local/sbin/egress-bench-ha";

const DEFAULT_ADVERTISEMENT_MS = 100;
/** conntrackd's, UDP; and VRRP is IP protocol 112. */
export const SYNC_PORT = 3780;

/** VXLAN link to the other machine, where signs of life have to travel in UDP. */
export const TUNNEL = "ebpair0";
/** UDP port of that link. */
export const TUNNEL_PORT = 3781;

/** Addresses by which keepalived finds itself and the other machine. */
export function tunnelEnds({ self, peer }: HighAvailability): {
  readonly self: string;
  readonly peer: string;
} {
  const [lower, upper] = ["169.254.78.1", "169.254.78.2"] as const;
  return self < peer ? { self: lower, peer: upper } : { self: upper, peer: lower };
}

/** conntrackd's file: connections copied to the other machine, kept aside until a take-over. */
export function conntrackdConfiguration(ha: HighAvailability): string {
  return `${copying(ha)}${tracking(ha)}`;
}

/** Between which machines, and what becomes of copies. */
function copying({ self, peer }: HighAvailability): string {
  return `Sync {
	Mode FTFW {
		DisableExternalCache Off
		# What a machine tracked while it was active is stale once it stands by, and in the way of what is committed.
		PurgeTimeout 2
		# Without it an entry gets what it had left when it last changed, less the time since: a flow that has long spoken
		# is committed with seconds, and forgotten before its next packet.
		CommitTimeout ${ESTABLISHED_SECONDS}
	}
	UDP {
		IPv4_address ${self}
		IPv4_Destination_Address ${peer}
		Port ${SYNC_PORT}
		Interface @link@
		SndSocketBuffer 8388608
		RcvSocketBuffer 8388608
		Checksum On
	}
}
`;
}

/** Which connections, out of the kernel's. */
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

const keepalivedGlobals = `global_defs {
	vrrp_version 3
	# Without it the host name is looked up, which takes ten seconds where no name server answers.
	router_id egress-bench
	script_user root
	enable_script_security
	# Real-time priority would bound the processor time of what it starts, of conntrackd too.
	vrrp_priority -20
}
vrrp_script forwards {
	script "${HA_PROGRAM} check"
	interval 1
	timeout 2
	fall 2
	rise 2
	weight -50
}
`;

/**
 * Equal priorities and no fault state: who is active stays so until it is silent or its forwarding fails; and where
 * forwarding fails on both, the place it is tested against is to blame and nothing moves. keepalived wants an address of
 * its own to move: one that leads nowhere, since ours move when the connections are in the kernel.
 */
export function keepalivedConfiguration(ha: HighAvailability): string {
  const seconds = (ha.advertisementMs ?? DEFAULT_ADVERTISEMENT_MS) / 1000;
  const { self, peer } = ha.tunnel ? tunnelEnds(ha) : ha;
  return `${keepalivedGlobals}vrrp_instance nat {
	state BACKUP
	interface @link@
	virtual_router_id 51
	priority 100
	advert_int ${seconds}
	unicast_src_ip ${self}
	unicast_peer {
		${peer}
	}
	virtual_ipaddress {
		169.254.77.9/32 dev lo scope host
	}
	track_script {
		forwards
	}
	notify_master "${HA_PROGRAM} active"
	notify_backup "${HA_PROGRAM} standby"
}
`;
}

/** Defines `set_up_tunnel`, between the two machines alone: it carries nothing but signs of life. Expects `$link`, `fail`. */
export function tunnelScript(ha: HighAvailability): string {
  return `set_up_tunnel() {
  ip link show ${TUNNEL} >/dev/null 2>&1 ||
    ip link add ${TUNNEL} type vxlan id 77 local ${ha.self} remote ${ha.peer} dstport ${TUNNEL_PORT} dev "$link" ||
    fail "highAvailability: this kernel makes no VXLAN link to the other machine"
  ip address replace ${tunnelEnds(ha).self}/30 dev ${TUNNEL}
  ip link set ${TUNNEL} up
  link=${TUNNEL}
}

`;
}
