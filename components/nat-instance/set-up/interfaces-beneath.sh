# Lists the interfaces that an interface is made of.

# Of a bond its ports, of a VLAN what it is on, of Azure's eth0 the virtual function; all the way down.
interfaces_beneath() {
  in_sysfs "$1" || return 0
  for lower in "/sys/class/net/$1"/lower_*; do
    if [ -e "$lower" ]; then
      echo "${lower##*/lower_}"
      (interfaces_beneath "${lower##*/lower_}")
    fi
  done
}
