import { connect } from 'node:net';

/** Sends bytes as they are and returns what came back until the server closed the connection. */
export function sendRaw(origin: string, parts: Iterable<string | Buffer>): Promise<string> {
  const { hostname, port } = new URL(origin);
  return new Promise((resolve, reject) => {
    const socket = connect(Number(port), hostname === 'localhost' ? '127.0.0.1' : hostname);
    const chunks: Buffer[] = [];
    socket.on('data', (chunk) => chunks.push(chunk));
    socket.on('close', () => resolve(Buffer.concat(chunks).toString('utf8')));
    socket.on('error', (error: NodeJS.ErrnoException) => {
      // A server that has answered may close before it has read all.
      if (chunks.length === 0) reject(error);
    });
    for (const part of parts) socket.write(part);
  });
}
