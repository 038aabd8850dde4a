import { once } from 'node:events';
import { createServer, type RequestListener } from 'node:http';
import {
  type AddressInfo,
  createServer as createSocketServer,
  type Server,
  type Socket,
} from 'node:net';
import { onTestFinished } from 'vitest';

export type LocalServer = Awaited<ReturnType<typeof rawServer>>;
export type RequestServer = Awaited<ReturnType<typeof requestServer>>;

/** Listens on the loopback interface. Returns the port and the URL. */
async function listen(server: Server): Promise<{ readonly port: number; readonly url: string }> {
  server.listen(0, '127.0.0.1');
  await once(server, 'listening');
  const { port } = server.address() as AddressInfo;
  return { port, url: `http://127.0.0.1:${port}` };
}

/** Starts an HTTP server on the loopback interface. It is closed after the test. */
export async function httpServer(listener: RequestListener) {
  const server = createServer(listener);
  let connections = 0;
  server.on('connection', () => {
    connections += 1;
  });
  const address = await listen(server);
  onTestFinished(() => {
    server.closeAllConnections();
    server.close();
  });
  /** Returns the number of accepted connections. */
  return { ...address, connections: () => connections };
}

/** Starts a TCP server that calls `answer` when it receives the first bytes of a connection. */
export async function rawServer(answer: (socket: Socket) => void) {
  const sockets = new Set<Socket>();
  let connections = 0;
  const server = createSocketServer((socket) => {
    connections += 1;
    sockets.add(socket);
    socket.on('error', () => socket.destroy());
    socket.once('data', () => answer(socket));
  });
  const address = await listen(server);
  onTestFinished(() => {
    for (const socket of sockets) socket.destroy();
    server.close();
  });
  /** Returns the number of accepted connections. */
  return { ...address, connections: () => connections };
}

/**
 * Starts a TCP server that calls `answer` after each complete request, with its number on its
 * connection and the number of the connection, from 1.
 */
export async function requestServer(
  answer: (socket: Socket, request: number, connection: number) => void,
) {
  const sockets = new Set<Socket>();
  let connections = 0;
  let requests = 0;
  const server = createSocketServer({ allowHalfOpen: true }, (socket) => {
    connections += 1;
    const connection = connections;
    sockets.add(socket);
    socket.on('error', () => socket.destroy());
    socket.on('close', () => sockets.delete(socket));
    socket.on('end', () => socket.end());
    let received = '';
    let number = 0;
    socket.on('data', (bytes) => {
      received += bytes.toString('latin1');
      for (let end = requestEnd(received); end !== undefined; end = requestEnd(received)) {
        received = received.slice(end);
        requests += 1;
        number += 1;
        answer(socket, number, connection);
      }
    });
  });
  const address = await listen(server);
  onTestFinished(() => {
    for (const socket of sockets) socket.destroy();
    server.close();
  });
  return {
    ...address,
    connections: () => connections,
    /** Returns the number of complete requests. */
    requests: () => requests,
    /** Returns the number of connections that are open now. */
    open: () => sockets.size,
  };
}

function requestEnd(text: string): number | undefined {
  const headEnd = text.indexOf('\r\n\r\n');
  if (headEnd === -1) return undefined;
  const [, length = '0'] = /^content-length: (\d+)\r$/im.exec(text.slice(0, headEnd + 1)) ?? [];
  const end = headEnd + 4 + Number(length);
  return text.length >= end ? end : undefined;
}

/** Writes a piece every 20 ms until the connection is closed. */
export function drip(socket: Socket, head: string, piece: string): void {
  socket.write(head);
  const timer = setInterval(() => socket.write(piece), 20);
  socket.on('close', () => clearInterval(timer));
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
