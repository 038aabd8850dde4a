import type { Server } from 'node:http';
import type { AddressInfo } from 'node:net';

/** Starts to listen; the origin that reaches it. */
export function listen(
  server: Server,
  { port, host }: { readonly port: number; readonly host: string },
): Promise<string> {
  return new Promise((resolve, reject) => {
    server.once('error', reject);
    server.listen(port, host, () => {
      server.off('error', reject);
      resolve(`http://${visibleHost(host)}:${(server.address() as AddressInfo).port}`);
    });
  });
}

const idleCheckMs = 50;

/** Accepts nothing more, lets requests finish, and cuts off after `graceMs` what has not. */
export async function stopListening(server: Server, graceMs: number): Promise<void> {
  if (!server.listening) return;
  const closed = new Promise<void>((resolve) => server.close(() => resolve()));
  // A connection that is kept alive turns idle only when its last request has been answered.
  const closeIdle = setInterval(() => server.closeIdleConnections(), idleCheckMs);
  const cutOff = setTimeout(() => server.closeAllConnections(), graceMs);
  await closed;
  clearInterval(closeIdle);
  clearTimeout(cutOff);
}

// The loopback's and the wildcard's usual name; other addresses are shown as they are.
function visibleHost(host: string): string {
  if (['127.0.0.1', '0.0.0.0', '::', '::1', ''].includes(host)) return 'localhost';
  return host.includes(':') ? `[${host}]` : host;
}
