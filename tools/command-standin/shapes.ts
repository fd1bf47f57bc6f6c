import type { Field, Shape } from "./check.ts";

const text: Field = { type: { kind: "string" } };
const secretText: Field = { ...text, secret: true };
const texts: Field = { type: { kind: "list", element: { kind: "string" } } };
const flag: Field = { type: { kind: "bool" } };
const triggers: Field = { type: { kind: "list", element: { kind: "any" } } };
const environment: Field = { type: { kind: "map", element: { kind: "string" } } };

const endpoint: Shape["fields"] = {
  host: { ...text, required: true },
  port: { type: { kind: "float64" }, default: 22 },
  user: { ...text, default: "root" },
  password: secretText,
  privateKey: secretText,
  privateKeyPassword: secretText,
  agentSocketPath: text,
  dialErrorLimit: { type: { kind: "int" }, default: 10 },
  perDialTimeout: { type: { kind: "int" }, default: 15 },
  hostKey: text,
};

const proxy: Field = {
  type: { kind: "object", shape: { name: "remote.ProxyConnection", fields: endpoint } },
};

const connection: Field = {
  type: { kind: "object", shape: { name: "remote.Connection", fields: { ...endpoint, proxy } } },
  required: true,
  secret: true,
};

const commandFields = {
  create: text,
  update: text,
  delete: text,
  triggers,
  stdin: text,
  logging: text,
  environment,
  addPreviousOutputInEnv: flag,
};

/** Inputs of `command:local:Command`. */
export const localCommandShape: Shape = {
  name: "local.CommandInputs",
  fields: { ...commandFields, interpreter: texts, dir: text, assetPaths: texts, archivePaths: texts },
};

/** Inputs of `command:remote:Command`. */
export const remoteCommandShape: Shape = {
  name: "remote.CommandInputs",
  fields: { ...commandFields, connection },
};

/** Inputs of `command:remote:CopyToRemote`. */
export const copyToRemoteShape: Shape = {
  name: "remote.CopyToRemoteInputs",
  fields: {
    connection,
    triggers,
    source: { type: { kind: "any" }, required: true },
    remotePath: { ...text, required: true },
  },
};
