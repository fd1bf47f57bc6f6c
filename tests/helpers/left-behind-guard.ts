/** Ends what a run left, once the run is gone: its end of this program's stdin is closed then, whatever ended it. */
import { existsSync } from "node:fs";
import { text } from "node:stream/consumers";
import { endAll } from "./left-behind.ts";

const [directory = ""] = process.argv.slice(2);
await text(process.stdin);
if (existsSync(directory)) await endAll(directory, 5);
