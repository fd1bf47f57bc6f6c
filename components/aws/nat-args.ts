/** Arguments of AWS's NAT instances. `fallback` says what holds where an argument is left out. */
import { z } from "zod";
import { INTERNET_RATE, LARGE_VCPUS } from "../../bench/machines/capacity.ts";
import { defaultNatSize, limitWords } from "../../bench/machines/index.ts";
import { advertisementMs, checkOption, natComponentOptions } from "../nat-instance/index.ts";
import { countWithin, input, listWithin, optionalFlag, text, texts } from "../shared/args-schema.ts";
import { sshArgsSchema } from "../shared/host-login.ts";
import {
  ids,
  machineShape,
  privateRoutesShape,
  publicIpSchema,
  publicSubnetShape,
  rolesSchema,
} from "./common.ts";
import { natGroupSchema } from "./security-group.ts";

const natGatewayFallbackSchema = z
  .strictObject({
    natGatewayId: text.optional().meta({
      description: "Id of an existing public NAT gateway of the same VPC.",
      fallback: "a new one in `subnetId`",
    }),
    publicIp: publicIpSchema.readonly().optional().meta({
      description: "An existing Elastic IP for the new gateway.",
      fallback: "a new one",
    }),
  })
  .readonly();

/** The NAT gateway that serves clients while the NAT instance does not forward. */
export type NatGatewayFallbackArgs = z.infer<typeof natGatewayFallbackSchema>;

/** Default instance type of a NAT machine. */
export const DEFAULT_NAT_TYPE = defaultNatSize.aws;

/** Most addresses of the largest types. */
const MAX_ADDRESSES = 50;

/** Arguments that fck-nat and the library's own NAT instance share. */
const natMachineSchema = z.strictObject({
  ...publicSubnetShape,
  ...privateRoutesShape,
  privateRouteTableIds: ids.optional().meta({
    description:
      "Route tables of the clients' subnets; each gets a route 0.0.0.0/0. A list, or an output of one with its " +
      "`privateRouteTableCount`.",
    fallback: "none: you make the routes; a pair and `natGatewayFallback`, which move them, need the tables",
  }),
  ...machineShape,
  privateCidrs: texts.meta({
    description: "CIDR blocks of the subnets whose hosts may go out through the machine.",
  }),
  instanceType: text.optional().meta({
    description:
      `Any Linux type, Arm or x86. Small types have burst credits: a t4g.nano sustains ${limitWords("t4g.nano").sustains}. ` +
      `Types under ${LARGE_VCPUS} vCPUs send at most ${INTERNET_RATE} through the internet gateway.`,
    default: DEFAULT_NAT_TYPE,
  }),
  image: text.optional().meta({
    description: "Id of an image of the instance type's architecture.",
    fallback: "Ubuntu 24.04, kept as it was first found; fck-nat's own for fck-nat",
  }),
  adminUser: text.optional().meta({
    description: "Default user of the image.",
    fallback: "ubuntu; ec2-user for fck-nat",
  }),
  ssh: sshArgsSchema.optional().meta({
    description:
      "Login key and the addresses that may log in. Without it there is no login, and `ready` waits for the set-up only if `iamInstanceProfile` lets " +
      "Systems Manager report it, as a pair's role does; else for the machine to run.",
    fallback: "no logins",
  }),
  keyName: text.optional().meta({
    description:
      "Name of an EC2 key pair that may log in too; without `ssh`, `nat.inbound` with TCP 22 says from where. A change replaces " +
      "the machine.",
    fallback: "none",
  }),
  iamInstanceProfile: text.optional().meta({
    description:
      "Name of an instance profile. With the policy AmazonSSMManagedInstanceCore Session Manager can log in, and " +
      "Systems Manager reports the end of the set-up. Left out later, a single machine keeps it until it is replaced.",
    fallback: "none",
  }),
  autoHeal: optionalFlag.meta({
    description:
      "Puts the machine into an Auto Scaling group of one: when it fails, or cannot set itself up, another is launched with " +
      'the same interface and addresses. That takes about five minutes (fck-nat.dev, "Limitations", of the same mechanism), ' +
      "during which clients are offline. The machine needs no IAM rights for it.",
    default: false,
  }),
  publicIps: listWithin(publicIpSchema, MAX_ADDRESSES).meta({
    description:
      "Elastic IPs that exist already, such as ones on others' allow-lists, used instead of new ones.",
    fallback: "new ones",
  }),
  securityGroupIds: ids.optional().meta({
    description: "Security groups beside the machine's own.",
    fallback: "none",
  }),
  extraScript: text.optional().meta({
    description:
      "Your own script, with its `#!` line, that runs as root at the first boot: after the machine's own set-up, of a pair before it. It " +
      "shares the 16 KB of user data that EC2 takes. A change replaces the machine.",
    fallback: "none",
  }),
  creditMode: input(z.enum(["standard", "unlimited"]))
    .optional()
    .meta({
      description:
        "Credits of T types: `unlimited` is billed beyond the earned ones, `standard` slowed down. Left out later, a single machine " +
        "keeps its mode.",
      fallback: "the account's choice",
    }),
  spot: z
    .strictObject({
      instanceTypes: z.array(text).readonly().optional().meta({
        description: "Types beside the first one, of its architecture.",
        fallback: "none",
      }),
      onDemandFallback: z
        .strictObject({
          retryHourUtc: countWithin(0, 23).meta({
            description: "Hour of the day, UTC, when spot is tried again.",
            default: 4,
          }),
        })
        .readonly()
        .optional()
        .meta({
          description: "On-demand while no spot instance is available.",
          fallback: "clients are offline until a spot instance is available",
        }),
    })
    .readonly()
    .optional()
    .meta({
      description:
        "With `autoHeal`: spot instances. When EC2 reclaims one, the group launches another if there is " +
        "capacity, of " +
        "`instanceTypes` too, which must be of the same architecture and hold as many addresses. It never falls back to " +
        "on-demand by itself: with `onDemandFallback` an alarm makes a second group do so after five minutes without a " +
        "machine, until spot is tried again at `retryHourUtc` of the day.",
      fallback: "on demand",
    }),
  maximumLifetimeDays: countWithin(1, 365).meta({
    description:
      "With `autoHeal`: days after which the machine is replaced, which is an outage as long as a " +
      "repair. Without " +
      "`image` a NAT instance then boots the newest Ubuntu each time, so that it is patched by being replaced; fck-nat " +
      "boots the image that was first found.",
    fallback: "never",
  }),
  volume: z
    .strictObject({
      sizeGib: input(z.number()).optional().meta({
        description: "GiB, at least the image's. It can grow on a machine that runs, and never shrink.",
      }),
      kmsKeyId: text.optional().meta({ description: "Arn of a KMS key." }),
    })
    .readonly()
    .optional()
    .meta({
      description: "The root disk, always encrypted.",
      fallback: "the image's size, the account's key",
    }),
});

export interface NatMachineArgs extends Readonly<z.infer<typeof natMachineSchema>> {}

/** Arguments of fck-nat. */
export const fckNatSchema = natMachineSchema.extend({
  publicIps: listWithin(publicIpSchema, 1).meta({
    description: "An Elastic IP that exists already, such as one on others' allow-lists.",
    fallback: "a new one",
  }),
  imageName: text.optional().meta({
    description:
      "Name of the image, the same in all regions, such as `fck-nat-al2023-hvm-1.4.0-20260701-arm64-ebs`. `image`, " +
      "an id, takes precedence.",
    fallback: "the newest release of the instance type's architecture, kept as it was first found",
  }),
  observed: optionalFlag.meta({
    description:
      "Whether the benchmark logs in to the machine and samples it. Turn it off for an image without sshd or " +
      "Python.",
    fallback: "true with `ssh`",
  }),
});

/** Arguments of fck-nat. */
export interface FckNatArgs extends Readonly<z.infer<typeof fckNatSchema>> {}

const highAvailabilitySchema = z
  .strictObject({
    standbySubnetId: text.optional().meta({
      description:
        "Public subnet of another zone for the second machine, so that a zone which fails takes one along. The Elastic IP " +
        "goes from one machine's private address to the other's.",
      fallback: "both are in `subnetId`",
    }),
    advertisementMs,
    check: checkOption,
  })
  .readonly();

/** Checks of a pair of NAT instances: timing, and the target that forwarding is tested against. */
export type HighAvailabilityArgs = z.infer<typeof highAvailabilitySchema>;

const cloudWatchSchema = z
  .strictObject({
    namespace: z.string().optional().meta({
      description: "Letters, digits and `._/#-`, up to 255; not `AWS/...`, which is Amazon's own.",
      default: "EgressBench/NatInstance",
    }),
    alarms: z
      .strictObject({
        actions: texts.optional().meta({
          description:
            "ARNs that CloudWatch notifies, such as an SNS topic's, when an alarm begins and ends.",
          fallback: "none: alarms are seen in CloudWatch",
        }),
      })
      .readonly()
      .optional()
      .meta({
        description:
          "Alarms on ports, room, drops, EC2's limits and silence; of a pair also on readiness, copies, take-overs, and " +
          "on neither machine being active. About 0.10 USD each a month: 7 of one machine, 21 of a pair.",
        fallback: "none",
      }),
    dashboard: optionalFlag.meta({
      description: "A dashboard of these figures. Three are free for each account, then 3 USD each a month.",
      default: false,
    }),
  })
  .readonly();

/** Destination of a NAT instance's figures. */
export type CloudWatchArgs = z.infer<typeof cloudWatchSchema>;

/** Arguments of the library's own NAT instance. */
export const natInstanceSchema = natMachineSchema.extend({
  publicIpCount: countWithin(1, MAX_ADDRESSES).meta({
    description:
      "Public addresses, each on a private address of its own: 1 to what an interface of the instance type holds (2 of a " +
      "t4g.micro, 50 of the largest). An account has five a region unless it asked for more.",
    default: 1,
  }),
  highAvailability: highAvailabilitySchema.optional().meta({
    description:
      "A second machine stands by and takes over, with the connections, within a second or two: the address that clients " +
      "are seen with moves, so that sessions continue. Both are in the one subnet, or in two zones with `standbySubnetId`. The " +
      "machines get a role that allows just that, unless `iamInstanceProfile` names yours. docs/high-availability.md.",
    fallback: "one machine",
  }),
  cloudWatch: z
    .union([z.literal(true), cloudWatchSchema])
    .optional()
    .meta({
      description:
        "Publishes packets, drops, tracked connections and take-overs each minute, as up to thirteen metrics of each machine, at " +
        "about 0.30 USD a metric and month. The machine gets a role that allows just that, unless `iamInstanceProfile` names " +
        "yours: see [CloudWatch](../nat-instance.md#in-cloudwatch). A change replaces the machine.",
      fallback: "nothing is published",
    }),
  natGatewayFallback: z
    .union([z.literal(true), natGatewayFallbackSchema])
    .optional()
    .meta({
      description:
        "While the machine does not forward, its clients go out by a NAT gateway, seen with the gateway's address, and come " +
        "back once a machine has forwarded for a minute. Sessions end at either change. The machine says every 15 s whether " +
        "it forwards; a function leads the routes to the gateway at once where it does not, after 45 s of silence where it " +
        "died. Both get roles that allow just what they need, unless `iamInstanceProfile` names the machine's: it must allow " +
        "`cloudwatch:PutMetricData`. Not with `highAvailability`. docs/high-availability.md. A change replaces the machine.",
      fallback: "clients are offline until the machine, or with `autoHeal` another, is back",
    }),
  sessionManager: optionalFlag.meta({
    description:
      "Whether the machine gets a role with AmazonSSMManagedInstanceCore: Session Manager logs in, and without `ssh` Systems " +
      "Manager reports the end of the set-up. Not with `iamInstanceProfile`.",
    fallback: "a pair without `ssh`",
  }),
  roles: rolesSchema.optional().meta({
    description:
      "Path and boundary of the roles and instance profiles that the component makes for a pair, `cloudWatch`, `sessionManager` or `natGatewayFallback`.",
    fallback: "in the path `/`, without a boundary",
  }),
  securityGroup: natGroupSchema.optional(),
  nat: natComponentOptions.optional().meta({
    description: "Settings of the set-up script: data plane, strictness, ports.",
    fallback: "a flowtable, ports of the kernel's choice",
  }),
});

/** Arguments of the library's own NAT instance. */
export interface NatInstanceArgs extends Readonly<z.infer<typeof natInstanceSchema>> {}
