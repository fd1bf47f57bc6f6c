import { z } from "zod";
import { text } from "../shared/args-schema.ts";

/** Where a component's own roles are, and what bounds them. */
export const rolesSchema = z
  .strictObject({
    path: text.optional().meta({
      description: "Path, such as `/network/`. A change makes new roles and profiles.",
      default: "/",
    }),
    permissionsBoundary: text.optional().meta({
      description: "Arn of the policy that bounds what the roles may do.",
      fallback: "none",
    }),
  })
  .readonly();

/** Where a component's own roles are, and what bounds them. */
export type RolesArgs = z.infer<typeof rolesSchema>;
