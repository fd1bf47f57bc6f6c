# Lists the interfaces beneath an interface.

# Ports of a bond, the parent of a VLAN, the virtual function of Azure's eth0; recursively.
interfaces_beneath() {
  in_sysfs "$1" || return 0
  for lower in "/sys/class/net/$1"/lower_*; do
    if [ -e "$lower" ]; then
      echo "${lower##*/lower_}"
      (interfaces_beneath "${lower##*/lower_}")
    fi
  done
}
