/** `npm run nat-image`: a disk image of a NAT instance that downloads nothing at boot. */
import { makeImage, natImage } from "./nat-image/command.ts";
import { processOutput } from "./terminal/process-output.ts";

process.exitCode = await natImage(process.argv.slice(2), { ...processOutput(), make: makeImage });
