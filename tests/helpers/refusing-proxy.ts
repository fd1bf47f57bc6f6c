/**
 * A proxy that refuses everything: `refusing-proxy.ts <log>` prints its port, and logs requests there. It is a separate program,
 * for tests that wait for shells.
 */
import { appendFileSync } from "node:fs";
import { createServer } from "node:http";
import type { AddressInfo } from "node:net";

const [log = ""] = process.argv.slice(2);
const server = createServer((request, response) => {
  appendFileSync(log, `${request.method} ${request.url}\n`);
  response.writeHead(502).end();
});
server.on("connect", (request, socket) => {
  appendFileSync(log, `CONNECT ${request.url}\n`);
  socket.end("HTTP/1.1 502 Refused\r\n\r\n");
});
server.listen(0, "127.0.0.1", () => process.stdout.write(`${(server.address() as AddressInfo).port}\n`));
