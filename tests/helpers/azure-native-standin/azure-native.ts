/** Entry point of the azure-native stand-in: `node azure-native.ts <file of the cloud> <file of its faults>`. */
import { serve } from "./serve.ts";
import { azureNativeService } from "./service.ts";

await serve(azureNativeService(process.argv[2] as string, process.argv[3]));
