import { isIP, isIPv4 } from 'node:net';

export type ListenAddress =
  | { readonly host: string; readonly port: number }
  | { readonly path: string };

const rule =
  'it must be host:port, :port (on HOST), or the absolute path of a unix socket, ' +
  'such as 127.0.0.1:3001, [::1]:3001, :3001 or /run/shorty/admin.sock';

// The smallest size of sun_path among Linux, macOS and the BSDs, without its final NUL.
const maxSocketPathBytes = 103;
const maxLabels = 10;
const label = /^[A-Za-z0-9](?:[A-Za-z0-9-]{0,61}[A-Za-z0-9])?$/;

/** Parses `host:port`, `:port` or a path. Throws an Error that states the rule. */
export function parseListenAddress(text: string, defaultHost: string): ListenAddress {
  if (text.startsWith('/')) return { path: parseSocketPath(text) };
  const colon = text.lastIndexOf(':');
  const digits = text.slice(colon + 1);
  const port = Number(digits);
  if (colon < 0 || !/^\d{1,5}$/.test(digits) || port > 65_535) throw new Error(rule);
  return { host: colon === 0 ? defaultHost : parseHost(text.slice(0, colon)), port };
}

export function formatListenAddress(address: ListenAddress): string {
  if ('path' in address) return address.path;
  const { host, port } = address;
  return isIP(host) === 6 ? `[${host}]:${port}` : `${host}:${port}`;
}

function parseHost(text: string): string {
  const bracketed = /^\[([^[\]]{1,45})\]$/.exec(text)?.[1];
  if (bracketed !== undefined) {
    if (isIP(bracketed) === 6) return bracketed;
    throw new Error(rule);
  }
  // Some resolvers read 127.1 and 0x7f.1 as addresses.
  const isNumeric = /^[\d.]+$|^0x/i.test(text);
  if (isNumeric ? isIPv4(text) : isHostname(text)) return text;
  throw new Error(rule);
}

function isHostname(text: string): boolean {
  const labels = text.split('.');
  return labels.length <= maxLabels && labels.every((each) => label.test(each));
}

function parseSocketPath(text: string): string {
  if (text.endsWith('/') || text.includes('\0')) throw new Error(rule);
  if (Buffer.byteLength(text) > maxSocketPathBytes) {
    throw new Error(`the path of a unix socket must have at most ${maxSocketPathBytes} bytes`);
  }
  return text;
}
