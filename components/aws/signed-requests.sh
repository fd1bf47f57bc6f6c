# Asks AWS something with the machine's own role. curl signs the requests itself (since 7.75), so that no machine needs
# AWS's command line. The key is passed by a file descriptor: others can read a command line.

metadata() { curl -sf -m 2 -H "X-aws-ec2-metadata-token: $token" "http://169.254.169.254/latest/$1"; }

log_in_to_aws() {
  token=$(curl -sf -m 2 -X PUT -H 'X-aws-ec2-metadata-token-ttl-seconds: 300' http://169.254.169.254/latest/api/token) &&
    region=$(metadata meta-data/placement/region) && domain=$(metadata meta-data/services/domain) &&
    role_name=$(metadata meta-data/iam/security-credentials/) &&
    credentials=$(metadata "meta-data/iam/security-credentials/$role_name")
}

credential() { printf '%s' "$credentials" | sed -n 's/.*"'"$1"'" *: *"\([^"]*\)".*/\1/p'; }

# aws_request SERVICE VERSION ACTION PARAMETER...: the answer's status on the last line.
aws_request() {
  service=$1 version=$2 action=$3
  shift 3
  for parameter; do set -- "$@" --data-urlencode "$parameter"; shift; done
  curl -s -m 5 -w '\n%{http_code}\n' -K - -d "Action=$action" -d "Version=$version" "$@" \
    "${EGRESS_BENCH_AWS:-https://$service.$region.$domain}/" <<END_OF_CURL
aws-sigv4 = "aws:amz:$region:$service"
user = "$(credential AccessKeyId):$(credential SecretAccessKey)"
header = "X-Amz-Security-Token: $(credential Token)"
END_OF_CURL
}
