/**
 * How an agent packs its output: lists of similar objects as columns, compressed with a dictionary of frequent words
 * (`common/packing.py` is the other side). The state keeps each report and is rewritten with every case.
 */
import { gunzipSync, inflateSync } from "node:zlib";

/**
 * Frequent words of the reports, the most frequent last. States hold reports packed with it: a change makes them
 * unreadable.
 */
export const PACKING_DICTIONARY = `{"version":1,"facts":{"host":"nat-instance-client","kernel":"6.1.0-cloud-amd64","os":"Debian GNU/Linux 12 (bookworm)","architecture":"x86_64aarch64","cpus":2,"memoryBytes":"congestionControl":"bbrcubic","driver":"virtioenahv_netvscmlx5_coreveth","qdisc":"fq_codelnoqueuemq","offloads":{"rx-checksumming":true,"tx-checksumming":true,"scatter-gather":true,"tcp-segmentation-offload":true,"generic-segmentation-offload":true,"generic-receive-offload":true,"large-receive-offload":false,"tx-udp-segmentation":false,"rx-gro-hw":false,"rx-gro-list":false,"rx-udp-gro-forwarding":false,"hw-tc-offload":false}}],"sysctls":{"net.core.default_qdisc":"net.core.rmem_max":"4194304","net.core.somaxconn":"4096","net.core.wmem_max":"4194304","net.ipv4.conf.all.rp_filter":"0","net.ipv4.conf.all.send_redirects":"1","net.ipv4.ip_forward":"0","net.ipv4.ip_local_port_range":"32768 60999","net.ipv4.tcp_congestion_control":"net.ipv4.tcp_mtu_probing":"0","net.ipv4.tcp_rmem":"4096 131072 33554432","net.ipv4.tcp_timestamps":"1","net.ipv4.tcp_tw_reuse":"2","net.ipv4.tcp_wmem":"4096 16384 4194304","net.netfilter.nf_conntrack_buckets":"262144","net.netfilter.nf_conntrack_max":"262144","net.netfilter.nf_conntrack_tcp_timeout_established":"432000"},"tools":{"python3":"3.11.2","iperf3":"3.12","irtt":"0.9.0","sockperf":"3.7","sar":"12.6.1","ip":"6.1.0","nft":"1.0.6"},"tuning":"none","dataPlane":null,"placement":null,"notes":[]}}{"version":1,"key":"1.nat-gateway.","failure":null,"attempts":[{"startedAt":"2026-12-01T12:31:48.993Z","finishedAt":"2026-12-01T12:31:59.053Z","exitCode":0,"timedOut":false}],"exitCode":0,"timedOut":false,"stdout":"{\\"start\\":{\\"version\\":\\"iperf 3.12\\",\\"test_start\\":{\\"protocol\\":\\"UDP\\",\\"num_streams\\":1,\\"blksize\\":131072,\\"reverse\\":0}},\\"intervals\\":[{\\"sum\\":{\\"end\\":1.0,\\"bits_per_second\\":,\\"retransmits\\":0}},{\\"sum\\":{\\"end\\":2.0,\\"bits_per_second\\":,\\"packets\\":,\\"retransmits\\":0}},{\\"sum\\":{\\"end\\":9.0,\\"bits_per_second\\":,\\"retransmits\\":0}},{\\"sum\\":{\\"end\\":10.0,\\"bits_per_second\\":,\\"retransmits\\":0}}],\\"end\\":{\\"streams\\":[{\\"sender\\":{\\"retransmits\\":0,\\"mean_rtt\\":},\\"receiver\\":{\\"bytes\\":,\\"bits_per_second\\":}},{\\"udp\\":{\\"jitter_ms\\":0.0,\\"lost_packets\\":0,\\"packets\\":,\\"lost_percent\\":0,\\"out_of_order\\":0}}],\\"sum_sent\\":{\\"seconds\\":10.0,\\"bytes\\":,\\"bits_per_second\\":,\\"retransmits\\":},\\"sum_received\\":{\\"seconds\\":10.0,\\"bytes\\":,\\"bits_per_second\\":},\\"cpu_utilization_percent\\":{\\"host_total\\":,\\"remote_total\\":}}}","stderr":"","sourceIp":"198.19.1.1","hosts":[{"cpu":{"busyPercent":,"userPercent":,"systemPercent":,"softirqPercent":,"stealPercent":0.0,"perCpu":{"":[[0,1],[100.0,],[,]],"k":["cpu","busyPercent","softirqPercent"]},"series":{"":[["2026-12-01T12:31:49Z","2026-12-01T12:31:50Z","2026-12-01T12:31:51Z"],[100.0,100.0,100.0,99.5,100.0],[,],[0.0,0.0,0.0,0.0,0.0,0.0,0.0,0.0,0.0,0.0]],"k":["at","busyPercent","softirqPercent","stealPercent"]}},"network":{"interfaces":{"":[["eth1","client1"],[,]],"k":["name","receivedPackets","sentPackets","receivedBytes","sentBytes","receiveDrops","sendDrops"]},"interfaces":[{"name":"eth0","receivedPackets":,"sentPackets":,"receivedBytes":,"sentBytes":,"receiveDrops":0,"sendDrops":0}],"tcpRetransmits":0,"udp":{"receiveBufferErrors":0,"sendBufferErrors":0,"sentDatagrams":0,"arrivedDatagrams":0},"softnetDrops":0,"conntrack":null,"conntrack":{"entriesAtStart":,"entriesAtEnd":,"peakEntries":,"maximumEntries":262144},"series":{"":[["2026-12-01T12:31:49Z","2026-12-01T12:31:50Z"],[,],[,],[0,0,0,0,0,0,0,0,0,0],[null,null,null,null,null,null,null,null,null,null],[0,0,0,0,0,0,0,0,0,0],[,],[,]],"k":["at","receivedBitsPerSecond","sentBitsPerSecond","receivedPacketsPerSecond","sentPacketsPerSecond","drops","tcpRetransmits","conntrack","arrivedDatagrams","tcpRttUs","tcpCwndSegments"]}},"cpuTime":{"start":{"interrupts":,"uptimeSeconds":,"busySeconds":},"end":{"interrupts":,"uptimeSeconds":,"busySeconds":}},"memory":{"usedBytesAtStart":,"usedBytesAtEnd":,"peakUsedBytes":},"host":"server","role":"server","problem":null},{"cpu":{"busyPercent":,"host":"nat-instance-box","role":"nat","problem":null}],"rawFile":".egress-bench/runs/1.nat-instance./stdout-1","startedAfterMs":null,"dataSources":[{"protocol":"tcp","address":"198.19.1.1","connections":2,"ports":[]}]}`;

/**
 * First characters of packed text: gzip, as agents of earlier releases print it, and zlib with a dictionary; both in
 * base64.
 */
export const PACKED = ["H4sI", "ePk"] as const;

/** A list of similar objects: their values by key, and the keys. */
interface Columns {
  readonly "": readonly (readonly unknown[])[];
  readonly k: readonly string[];
}

/**
 * The JSON of a printed document, packed or not.
 * @param most Most bytes.
 * @throws {Error} where it cannot be unpacked, or is larger
 */
export function unpackedJson(text: string, most: number): string {
  if (text.startsWith(PACKED[0])) {
    return gunzipSync(Buffer.from(text, "base64"), { maxOutputLength: most }).toString();
  }
  if (!text.startsWith(PACKED[1])) {
    return text;
  }
  const dictionary = Buffer.from(PACKING_DICTIONARY);
  const packed = inflateSync(Buffer.from(text, "base64"), { dictionary, maxOutputLength: most }).toString();
  return rowsOf(packed, most);
}

/** The JSON with rows in place of columns. Hosts are not trusted: the keys that rows repeat count as its bytes. */
function rowsOf(packed: string, most: number): string {
  let left = most - packed.length;
  return JSON.stringify(
    JSON.parse(packed, (_, value: unknown) => {
      if (!isColumns(value)) {
        return value;
      }
      const rows = value[""][0]?.length ?? 0;
      left -= rows * JSON.stringify(value.k).length;
      if (left < 0 || value[""].some(({ length }) => length !== rows)) {
        throw new Error("its lists are larger than a report may be, or of unlike lengths");
      }
      return Array.from({ length: rows }, (_, at) =>
        Object.fromEntries(value.k.map((key, column) => [key, value[""][column]?.[at]])),
      );
    }),
  );
}

function isColumns(value: unknown): value is Columns {
  const { "": columns, k } = (value ?? {}) as Partial<Columns>;
  return (
    Array.isArray(columns) &&
    Array.isArray(k) &&
    columns.length === k.length &&
    columns.every(Array.isArray) &&
    k.every((key) => typeof key === "string")
  );
}
