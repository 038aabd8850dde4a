import { connect } from 'node:net';

export interface RawOptions {
  /** Closes the client's side of the connection after the last part. */
  readonly halfClose?: boolean;
}

/** Sends bytes unchanged, and returns all received text when the server has closed the connection. */
export function sendRaw(
  origin: string,
  parts: Iterable<string | Buffer>,
  { halfClose = false }: RawOptions = {},
): Promise<string> {
  const { hostname, port } = new URL(origin);
  return new Promise((resolve, reject) => {
    const host = hostname === 'localhost' ? '127.0.0.1' : hostname;
    const socket = connect({ port: Number(port), host });
    const chunks: Buffer[] = [];
    socket.on('data', (chunk) => chunks.push(chunk));
    socket.on('close', () => resolve(Buffer.concat(chunks).toString('utf8')));
    socket.on('error', (error: NodeJS.ErrnoException) => {
      // A server that has sent a response may close the connection before it has read all parts.
      if (chunks.length === 0) reject(error);
    });
    for (const part of parts) socket.write(part);
    if (halfClose) socket.end();
  });
}
