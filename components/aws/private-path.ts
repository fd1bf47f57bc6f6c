import { type ArgsOf, text } from "../shared/args-schema.ts";
import { awsShape } from "./common.ts";

/** Schemas of {@link PrivatePathArgs}. */
export const privatePathShape = {
  ...awsShape,
  /** The client's private address, which the server must see. */
  clientAddress: text,
};

/** The client of a path between private addresses. It also has a public address, for logins and packages only. */
export interface PrivatePathArgs extends ArgsOf<typeof privatePathShape> {}
