# Publishes a NAT instance's figures to CloudWatch. Argument: the file of its metrics.
# Settings: namespace, machine. Needs aws_request.

# Figures are written every 15 s. Old ones would hide a machine that writes none: missing data raises an alarm.
find "$1" -newermt '-45 seconds' ! -newermt '45 seconds' | grep -q . || { echo "old figures"; exit 1; }
last=/run/egress-bench-published
# Sums over interfaces and directions.
now=$(awk '{ sub(/\{.*/, "", $1); sub(/^egress_bench_nat_/, "", $1); sub(/.*allowance_exceeded/, "exceeded", $1); n[$1] += $2 }
  END { for (k in n) printf "%s %.0f\n", k, n[k] }' "$1")
value() { printf '%s\n' "$now" | sed -n "s/^$1 //p"; }
increase() {
  before=$(sed -n "s/^$1 //p" "$last" 2>/dev/null)
  [ -z "$before" ] || [ "$(value "$1")" -lt "$before" ] || echo $(($(value "$1") - before))
}

count=0 figures=''
# metric NAME UNIT VALUE: prints nothing without a value.
metric() {
  [ -n "$3" ] || return 0
  count=$((count + 1))
  of=MetricData.member.$count
  figures="$figures $of.MetricName=$1 $of.Unit=$2 $of.Value=$3"
  figures="$figures $of.Dimensions.member.1.Name=NatInstance $of.Dimensions.member.1.Value=$machine"
}
metric ActiveConnectionCount Count "$(value conntrack_entries)"
metric ConnectionTableUsed Percent "$(($(value conntrack_entries) * 100 / $(value conntrack_limit)))"
metric ErrorPortAllocation Count "$(increase conntrack_insert_failed_total)"
metric ConnectionsDropped Count "$(increase conntrack_no_room_total)"
metric PacketsDropCount Count "$(increase dropped_total)"
metric Packets Count "$(increase packets_total)"
metric Bytes Bytes "$(increase bytes_total)"
metric Active Count "$(value active)"
metric AllowanceExceeded Count "$(increase exceeded)"
metric ConntrackAllowanceAvailable Count "$(value conntrack_allowance_available)"
metric Forwards Count "$(value forwards)"
metric Ready Count "$(value ready)"
[ -z "$(value active)" ] || {
  metric TakeOvers Count "$(increase takeovers_total)"
  metric SyncErrors Count "$(increase sync_errors_total)"
}
log_in_to_aws || { echo "no role to publish with"; exit 1; }
# shellcheck disable=SC2086 # split into words on purpose
said=$(aws_request monitoring 2010-08-01 PutMetricData Namespace="$namespace" $figures)
[ "$(printf '%s' "$said" | tail -n 1)" = 200 ] || { printf '%s' "$said" | tr '\n' ' '; exit 1; }
printf '%s\n' "$now" > "$last"
