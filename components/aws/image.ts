/**
 * The images that instances boot from.
 *
 * A newer image never replaces a machine: the one that was found first is kept in the stack's state (a
 * `pulumi.Stash`) until the architecture changes, or another image is named.
 */
import { getAmi } from "@pulumi/aws/ec2/getAmi.js";
import { getParameterOutput } from "@pulumi/aws/ssm/getParameter.js";
import * as pulumi from "@pulumi/pulumi";
import { invalid } from "../shared/arguments.ts";
import { firstFound } from "../shared/first-found.ts";
import { architecture } from "./architecture.ts";
import { oneLine } from "./common.ts";

export interface Image {
  readonly ami: pulumi.Output<string>;
  /** Root device, such as `/dev/sda1`. */
  readonly rootDeviceName: pulumi.Output<string>;
}

const canonicalNames = { arm64: "arm64", x86_64: "amd64" } as const;

/** Canonical's public SSM parameter of the newest Ubuntu 24.04 of an instance type's architecture. */
function ubuntuParameter(instanceType: pulumi.Input<string>): pulumi.Output<string> {
  return pulumi
    .output(instanceType)
    .apply(
      (type) =>
        `/aws/service/canonical/ubuntu/server/24.04/stable/current/${canonicalNames[architecture(type)]}/hvm/ebs-gp3/ami-id`,
    );
}

/** The newest Ubuntu 24.04 at each launch, for launch templates: EC2 looks it up. */
export function newestUbuntu(instanceType: pulumi.Input<string>): Image {
  return {
    ami: pulumi.interpolate`resolve:ssm:${ubuntuParameter(instanceType)}`,
    rootDeviceName: pulumi.output(UBUNTU_ROOT),
  };
}

const UBUNTU_ROOT = "/dev/sda1";

/** Newest Ubuntu 24.04 of the instance type's architecture, from Canonical's public SSM parameters. */
export function ubuntuImage(
  name: string,
  instanceType: pulumi.Input<string>,
  parent: pulumi.Resource,
): Image {
  const parameter = ubuntuParameter(instanceType);
  // Unsecret: the id of a public image is no secret, though a parameter's value counts as one.
  const newest = pulumi.unsecret(getParameterOutput({ name: parameter }, { parent }).value);
  const ami = firstFound(`${name}-image`, newest, { parent, replacementTrigger: parameter });
  return { ami, rootDeviceName: pulumi.output(UBUNTU_ROOT) };
}

/**
 * Newest image that an owner published under a name, of the instance type's architecture.
 * @param owner Account id.
 * @param nameFilter Name pattern with `*`. Should hold the architecture.
 */
export function publishedImage(
  name: string,
  instanceType: pulumi.Input<string>,
  owner: string,
  nameFilter: pulumi.Input<string>,
  parent: pulumi.Resource,
): Image {
  const wanted = pulumi.output(instanceType).apply(architecture);
  const found = pulumi.all([nameFilter, wanted]).apply(([filter, type]) =>
    getAmi(
      {
        owners: [owner],
        mostRecent: true,
        // AWS marks a public image deprecated after two years and still launches it.
        includeDeprecated: true,
        filters: [
          { name: "name", values: [filter] },
          { name: "architecture", values: [type] },
        ],
      },
      { parent },
    ).catch((error) => {
      throw invalid(
        "imageName",
        `${owner} has no ${type} image ${filter} in this region (${oneLine(error)})`,
      );
    }),
  );
  const replacementTrigger = pulumi.interpolate`${owner}/${nameFilter}/${wanted}`;
  const ami = firstFound(`${name}-image`, found.id, { parent, replacementTrigger });
  return { ami, rootDeviceName: found.rootDeviceName };
}

/**
 * An image that the caller names.
 *
 * @throws {pulumi.InputPropertyError} when it is of another architecture than the instance type.
 */
export function givenImage(
  image: pulumi.Input<string>,
  instanceType: pulumi.Input<string>,
  parent: pulumi.Resource,
): Image {
  const found = pulumi.output(image).apply((id) =>
    getAmi({ includeDeprecated: true, filters: [{ name: "image-id", values: [id] }] }, { parent }).catch(
      (error) => {
        throw invalid(
          "image",
          `${id} cannot be read in this region; name one that is there (${oneLine(error)})`,
        );
      },
    ),
  );
  const ami = pulumi.all([found.id, found.architecture, instanceType]).apply(([id, actual, type]) => {
    if (actual !== architecture(type)) {
      throw invalid(
        "image",
        `${id} is for ${actual}, but instanceType ${type} is ${architecture(type)}; choose an image of that architecture, or leave image out`,
      );
    }
    return id;
  });
  return { ami, rootDeviceName: found.rootDeviceName };
}
