/** Entry point of the aws stand-in: `node aws.ts <file of the cloud> <file of its faults>`. */
import { serve } from "../azure-native-standin/serve.ts";
import { awsService } from "./service.ts";

await serve(awsService(process.argv[2] as string, process.argv[3]));
