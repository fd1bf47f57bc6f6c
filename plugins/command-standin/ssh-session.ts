import type { Client, ClientChannel } from "ssh2";

/** An SSH session before its command: a channel on which variables can be set one by one. */
export interface Session {
  /** Resolves with false when the server does not accept the variable (`AcceptEnv`). */
  setEnvironment(name: string, value: string): Promise<boolean>;
  execute(command: string): Promise<ClientChannel>;
}

/**
 * The parts of ssh2 1.17 used below. Its public `exec` sends variables without waiting for an answer, so a refused one
 * would go unnoticed, and the command would run without it.
 */
interface Internals {
  readonly _chanMgr: { add(opened: OpenedCallback): number };
  readonly _protocol: {
    session(channel: number, windowBytes: number, packetBytes: number): void;
    env(channel: number, name: string, value: string, wantReply: boolean): void;
    exec(channel: number, command: string, wantReply: boolean): void;
  };
}

type OpenedCallback = ((error: Error | undefined, channel: Channel) => void) & { type?: string };

type Channel = ClientChannel & {
  readonly outgoing: { readonly id: number };
  /** Called with whether the oldest unanswered request has failed. */
  readonly _callbacks: ((hasFailed: boolean) => void)[];
  subtype: string;
};

// ssh2's own window.
const WINDOW_BYTES = 2 * 1024 * 1024;
const PACKET_BYTES = 32 * 1024;

/** Opens a session. Throws when the server refuses one. */
export async function openSession(client: Client): Promise<Session> {
  const { _chanMgr, _protocol } = client as unknown as Internals;
  const channel = await new Promise<Channel>((resolve, reject) => {
    const opened: OpenedCallback = (error, channel) => (error ? reject(error) : resolve(channel));
    opened.type = "session";
    _protocol.session(_chanMgr.add(opened), WINDOW_BYTES, PACKET_BYTES);
  });
  const isAccepted = () =>
    new Promise<boolean>((resolve) => channel._callbacks.push((hasFailed) => resolve(!hasFailed)));
  return {
    setEnvironment(name, value) {
      _protocol.env(channel.outgoing.id, name, value, true);
      return isAccepted();
    },
    async execute(command) {
      _protocol.exec(channel.outgoing.id, command, true);
      if (!(await isAccepted())) throw new Error(`ssh: command ${JSON.stringify(command)} failed`);
      channel.subtype = "exec";
      return channel;
    },
  };
}
