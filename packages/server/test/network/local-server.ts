import { once } from 'node:events';
import { createServer, type RequestListener } from 'node:http';
import { type AddressInfo, createServer as createSocketServer, type Socket } from 'node:net';
import { onTestFinished } from 'vitest';

export interface LocalServer {
  readonly port: number;
  readonly url: string;
  /** Returns the number of accepted connections. */
  readonly connections: () => number;
}

/** Starts an HTTP server on the loopback interface. It is closed after the test. */
export async function httpServer(listener: RequestListener): Promise<LocalServer> {
  const server = createServer(listener);
  let connections = 0;
  server.on('connection', () => {
    connections += 1;
  });
  server.listen(0, '127.0.0.1');
  await once(server, 'listening');
  onTestFinished(() => {
    server.closeAllConnections();
    server.close();
  });
  const { port } = server.address() as AddressInfo;
  return { port, url: `http://127.0.0.1:${port}`, connections: () => connections };
}

/** Starts a TCP server that calls `answer` when it receives the first bytes of a connection. */
export async function rawServer(answer: (socket: Socket) => void): Promise<LocalServer> {
  const sockets = new Set<Socket>();
  let connections = 0;
  const server = createSocketServer((socket) => {
    connections += 1;
    sockets.add(socket);
    socket.on('error', () => socket.destroy());
    socket.once('data', () => answer(socket));
  });
  server.listen(0, '127.0.0.1');
  await once(server, 'listening');
  onTestFinished(() => {
    for (const socket of sockets) socket.destroy();
    server.close();
  });
  const { port } = server.address() as AddressInfo;
  return { port, url: `http://127.0.0.1:${port}`, connections: () => connections };
}

/** Writes `piece` repeatedly until the connection is closed. */
export function flood(socket: Socket, head: string, piece: Buffer): void {
  const pour = () => {
    while (!socket.destroyed && socket.write(piece));
  };
  socket.on('drain', pour);
  socket.write(head);
  pour();
}
