/** Entry point of the azure-native stand-in: `node azure-native.ts <file of the cloud>`. */
import { serve } from "./serve.ts";
import { azureNativeService } from "./service.ts";

serve(azureNativeService(process.argv[2] as string));
