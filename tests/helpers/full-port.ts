import { type ChildProcess, spawn } from "node:child_process";
import { once } from "node:events";
import { connect, type Socket } from "node:net";

/** A port of 127.0.0.1 that neither accepts nor refuses connections. */
export interface FullPort {
  readonly port: number;
  close(): Promise<void>;
}

// Never accepts; with a backlog of 0 the kernel drops everything after the first connection.
const LISTENER = `
import socket, sys
listener = socket.socket()
listener.bind(("127.0.0.1", 0))
listener.listen(0)
print(listener.getsockname()[1], flush=True)
sys.stdin.read()
`;

/** Opens a port and fills its queue, so that a further connection hangs as with an unreachable host. */
export async function openFullPort(): Promise<FullPort> {
  const child: ChildProcess = spawn("python3", ["-c", LISTENER], { stdio: ["pipe", "pipe", "inherit"] });
  if (child.stdout === null) throw new Error("no output of python3 to read");
  const [line] = (await once(child.stdout, "data")) as [Buffer];
  const port = Number(line.toString());
  const fillers: Socket[] = [];
  const filled = connect(port, "127.0.0.1");
  fillers.push(filled);
  await once(filled, "connect");
  // Kernels differ in how many more fit; those that do not fit only wait.
  for (let extra = 0; extra < 2; extra++) fillers.push(connect(port, "127.0.0.1"));
  for (const filler of fillers) filler.on("error", () => {});
  return {
    port,
    async close() {
      for (const filler of fillers) filler.destroy();
      const exited = once(child, "exit");
      child.stdin?.end();
      await exited;
    },
  };
}
