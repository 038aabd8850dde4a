import { once } from 'node:events';
import { connect, type Socket } from 'node:net';
import { onTestFinished } from 'vitest';

/** A connection that has sent so much, and how it ended, once it has. */
export interface OpenSocket {
  readonly socket: Socket;
  /** Everything that came until the server closed it. */
  readonly ended: Promise<string>;
}

export async function openSocket(origin: string, text = ''): Promise<OpenSocket> {
  const socket = connect(Number(new URL(origin).port), '127.0.0.1');
  onTestFinished(() => {
    socket.destroy();
  });
  let received = '';
  socket.setEncoding('latin1').on('data', (chunk: string) => {
    received += chunk;
  });
  // Those that are cut off are told so, or find out when they write.
  socket.on('error', () => socket.destroy());
  const ended = new Promise<string>((resolve) => {
    socket.on('close', () => resolve(received));
  });
  await once(socket, 'connect');
  socket.write(text);
  return { socket, ended };
}

export function openSockets(origin: string, count: number, text = ''): Promise<OpenSocket[]> {
  return Promise.all(Array.from({ length: count }, () => openSocket(origin, text)));
}
