/** The mappers of the public Azure management clients: a machine-readable copy of the REST API's schema. */
import { readFileSync } from "node:fs";

export interface MapperType {
  readonly name: string;
  readonly className?: string;
  readonly modelProperties?: Readonly<Record<string, Mapper>>;
  readonly element?: Mapper;
  readonly value?: Mapper;
  readonly allowedValues?: readonly string[];
  readonly uberParent?: string;
  readonly polymorphicDiscriminator?: { readonly serializedName: string };
}

export interface Mapper {
  readonly serializedName?: string;
  readonly required?: boolean;
  readonly readOnly?: boolean;
  readonly constraints?: Readonly<Record<string, number | string>>;
  readonly type: MapperType;
}

interface Later {
  readonly values: Readonly<Record<string, readonly string[]>>;
  readonly properties: Readonly<Record<string, Readonly<Record<string, Mapper>>>>;
}

const reference: Mapper = { type: { name: "Composite", className: "SubResource" } };
const references: Mapper = { type: { name: "Sequence", element: reference } };

const standardV2: Later = {
  values: {
    "NatGatewaySku.name": ["Standard", "StandardV2"],
    "PublicIPAddressSku.name": ["Basic", "Standard", "StandardV2"],
    "PublicIPPrefixSku.name": ["Standard", "StandardV2"],
  },
  properties: {
    NatGateway: {
      publicIpAddressesV6: { ...references, serializedName: "properties.publicIpAddressesV6" },
      publicIpPrefixesV6: { ...references, serializedName: "properties.publicIpPrefixesV6" },
    },
  },
};

/**
 * Additions to the NAT gateway and its addresses in network API 2024-07-01 and 2025-07-01. Source: natGateway.json, publicIpAddress.json and
 * publicIpPrefix.json of these versions in Azure/azure-rest-api-specs, and learn.microsoft.com/azure/templates/microsoft.network/change-log/natgateways.
 */
const laterVersions: Readonly<Record<string, Later>> = {
  "network 2024-07-01": standardV2,
  "network 2025-07-01": {
    values: { ...standardV2.values, "NatGateway.nat64": ["None", "Disabled", "Enabled"] },
    properties: {
      NatGateway: {
        ...standardV2.properties.NatGateway,
        nat64: { serializedName: "properties.nat64", type: { name: "String" } },
      },
    },
  },
};

/** @throws {Error} for a version that is missing here. */
function laterClient(client: ManagementClient, name: ClientName, apiVersion: string): ManagementClient {
  const later = laterVersions[`${name} ${apiVersion}`];
  if (later === undefined) {
    throw new Error(`the stand-in knows no API version ${apiVersion} of ${name}; add it to mappers.ts`);
  }
  const mappers = { ...client.mappers };
  for (const [className, properties] of Object.entries(later.properties)) {
    const mapper = client.mappers[className] as Mapper;
    const modelProperties = { ...mapper.type.modelProperties, ...properties };
    mappers[className] = { ...mapper, type: { ...mapper.type, modelProperties } };
  }
  const values: ManagementClient["values"] = (className, property) =>
    later.values[`${className}.${property}`] ?? client.values(className, property);
  return { ...client, apiVersion, mappers, values };
}

/** A management client: its mappers, its API version, and the values of its enumerations. */
export interface ManagementClient {
  readonly apiVersion: string;
  readonly mappers: Readonly<Record<string, Mapper>>;
  readonly discriminators: Readonly<Record<string, Mapper>>;
  /** Documented values of a class's property; undefined unless it is an enumeration. */
  values(className: string, property: string): readonly string[] | undefined;
}

const clients = {
  network: {
    package: "@azure/arm-network",
    models: "dist-esm/src/models",
  },
  compute: { package: "@azure/arm-compute", models: "dist/esm/models" },
  resources: {
    package: "@azure/arm-resources",
    models: "dist/esm/models",
  },
} as const;

export type ClientName = keyof typeof clients;

const loaded = new Map<ClientName, Promise<ManagementClient>>();

/**
 * Loads a client's models once. Compute has one API version per group; that of virtual machines is given.
 *
 * @param apiVersion The request's version. @default the client's
 */
export async function managementClient(name: ClientName, apiVersion?: string): Promise<ManagementClient> {
  const known = loaded.get(name) ?? load(name);
  loaded.set(name, known);
  const client = await known;
  return apiVersion === undefined ? client : laterClient(client, name, apiVersion);
}

async function load(name: ClientName): Promise<ManagementClient> {
  const { package: packageName, models } = clients[name];
  const root = new URL("./", import.meta.resolve(`${packageName}/package.json`));
  const directory = new URL(`${models}/`, root);
  const [mappers, enums] = (await Promise.all(
    ["mappers.js", "index.js"].map((file) => import(new URL(file, directory).href)),
  )) as [Record<string, Mapper>, Record<string, Record<string, string>>];
  const declarations = readFileSync(new URL("index.d.ts", directory), "utf8");
  return {
    apiVersion: apiVersionOf(new URL("parameters.js", directory)),
    mappers,
    discriminators: (mappers as unknown as { discriminators?: Record<string, Mapper> }).discriminators ?? {},
    values: remembered((className, property) => {
      const declared = propertyType(declarations, className, property);
      const known = declared === undefined ? undefined : enums[`Known${declared}`];
      return known && Object.values(known);
    }),
  };
}

/** The client's version: the default of the first parameter in its main group of resources. */
function apiVersionOf(parameters: URL): string {
  const text = readFileSync(parameters, "utf8");
  const version = /\bapiVersion = \{.*?defaultValue: "([^"]+)"/s.exec(text)?.[1];
  if (version === undefined) {
    throw new Error(`${parameters.href} tells the API version in another way than it did`);
  }
  return version;
}

/** Caches results: a search takes milliseconds, and the same few values are needed repeatedly. */
function remembered(find: ManagementClient["values"]): ManagementClient["values"] {
  const found = new Map<string, readonly string[] | undefined>();
  return (className, property) => {
    const name = `${className}.${property}`;
    if (!found.has(name)) {
      found.set(name, find(className, property));
    }
    return found.get(name);
  };
}

function propertyType(declarations: string, className: string, property: string): string | undefined {
  const block = new RegExp(
    `export interface ${className} (?:extends ([\\w, ]+) )?\\{([\\s\\S]*?)\\n\\}`,
  ).exec(declarations);
  const own = block && new RegExp(`^\\s+${property}\\??: (\\w+)(\\[\\])?;`, "m").exec(block[2] ?? "");
  if (own) {
    return own[1];
  }
  const parents = block?.[1]?.split(", ") ?? [];
  return parents
    .map((parent) => propertyType(declarations, parent, property))
    .find((type) => type !== undefined);
}
