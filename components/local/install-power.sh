# Gives a lab's NAT instance its power program and its boot, and boots it. Settings: power_program, boot_file.
# Text: power_text, boot_text.

mkdir -p "${boot_file%/*}"
power_text > "$power_program"
chmod 755 "$power_program"
boot_text > "$boot_file"
sh "$boot_file"
