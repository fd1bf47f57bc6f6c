/** Shell that asks AWS something with the machine's own role. */
import { textOf } from "../shared/shell.ts";

/** Packages that {@link signedRequests} needs. */
export const REQUEST_PACKAGES = ["curl"] as const;

/** Defines `log_in_to_aws`, `metadata` and `aws_request`. */
export const signedRequests = textOf("./signed-requests.sh", import.meta.url);
