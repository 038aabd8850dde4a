import { once } from 'node:events';
import { connect, type Socket } from 'node:net';
import { onTestFinished } from 'vitest';

/** A client connection that has sent a text. */
export interface OpenSocket {
  readonly socket: Socket;
  /** Resolves to all received text when the connection is closed. */
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
  // The server may reset the connection.
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
