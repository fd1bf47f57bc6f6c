# Tells CloudWatch whether this NAT instance forwards and will keep forwarding. It connects, through its own forwarding, to
# the service that it publishes to: a 0 that arrives means that forwarding is at fault, not the outside address. Settings:
# leaving_file, namespace, metric, dimension. Needs signed-requests.sh, and bash for /dev/tcp.

[ "${1-}" != leave ] || : > "$leaving_file"
log_in_to_aws || { echo "no role to publish with"; exit 1; }
endpoint=monitoring.$region.$domain

forwards() (
  # Out and back through this machine's own forwarding; a refusal is an answer too. The last known address is used where no
  # name server answers.
  address=$(timeout 1 getent ahostsv4 "$endpoint" | sed -n '1s/ .*//p')
  [ -n "$address" ] && echo "$address" > /run/egress-bench-ha-check || address=$(cat /run/egress-bench-ha-check)
  said=$(ip netns exec ebcheck timeout 1 bash -c "exec 3<>/dev/tcp/$address/443" 2>&1) && exit
  case $said in *refused*) exit 0 ;; esac
  exit 1
)

# The system shuts down, its Auto Scaling group ends it, or EC2 takes a spot instance back.
leaving() {
  [ ! -e "$leaving_file" ] || return 0
  case $(metadata meta-data/autoscaling/target-lifecycle-state) in Terminated|Detached|Standby) return 0 ;; esac
  metadata meta-data/spot/instance-action >/dev/null
}

mac=$(metadata meta-data/mac)
interface=$(metadata "meta-data/network/interfaces/macs/$mac/interface-id") || { echo "the interface has no id"; exit 1; }
state=1
# Moving clients elsewhere ends all their sessions, so one lost packet is not enough.
leaving && state=0 || forwards || { sleep 1; forwards; } || { sleep 1; forwards; } || state=0
of=MetricData.member.1
said=$(aws_request monitoring 2010-08-01 PutMetricData Namespace="$namespace" \
  $of.MetricName="$metric" $of.Value=$state $of.StorageResolution=1 \
  $of.Dimensions.member.1.Name="$dimension" $of.Dimensions.member.1.Value="$interface")
[ "$(printf '%s' "$said" | tail -n 1)" = 200 ] || { printf '%s' "$said" | tr '\n' ' '; exit 1; }
