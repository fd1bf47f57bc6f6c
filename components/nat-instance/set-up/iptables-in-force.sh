# Lists the iptables data plane's rule where it is in force. Setting: data_plane_file.

iptables_in_force() {
  ! grep -qsx iptables "$data_plane_file" ||
    iptables -w 10 -t nat -S POSTROUTING 2>/dev/null | grep -w egress-bench || :
}
