/** Entry point of the command plugin that runs nothing: `node command.ts [file of faults] <address>`. */
import { commandService } from "./command-service.ts";
import { serve } from "./serve.ts";

const [faults] = process.argv.slice(2, -1);
await serve(commandService(process.argv.slice(2).at(-1), faults));
