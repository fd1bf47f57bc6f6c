import * as pulumi from "@pulumi/pulumi";

/** Name, operator and first boot of a machine that admits logins by key only. */
export function osProfile(
  machine: string,
  adminUsername: pulumi.Input<string>,
  customData: pulumi.Input<string>,
  authorizedKey: pulumi.Input<string>,
) {
  const path = pulumi.interpolate`/home/${adminUsername}/.ssh/authorized_keys`;
  return {
    computerName: computerName(machine),
    adminUsername,
    customData,
    linuxConfiguration: {
      disablePasswordAuthentication: true,
      ssh: { publicKeys: [{ keyData: authorizedKey, path }] },
    },
  };
}

/** A computer name: Azure takes letters, digits and inner hyphens, 64 at most. */
function computerName(name: string): string {
  return name
    .replaceAll(/[^A-Za-z0-9-]/g, "-")
    .slice(0, 64)
    .replace(/-+$/, "");
}
