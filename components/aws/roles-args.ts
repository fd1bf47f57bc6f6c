import { z } from "zod";
import { text } from "../shared/args-schema.ts";

/** Path and permissions boundary of a component's roles. */
export const rolesSchema = z
  .strictObject({
    path: text.optional().meta({
      description: "Path, such as `/network/`. A change makes new roles and profiles.",
      default: "/",
    }),
    permissionsBoundary: text.optional().meta({
      description: "ARN of the permissions boundary of the roles.",
      fallback: "none",
    }),
  })
  .readonly();

/** Path and permissions boundary of a component's roles. */
export type RolesArgs = z.infer<typeof rolesSchema>;
