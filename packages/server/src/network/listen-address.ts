import { isIP } from 'node:net';
import { withoutBrackets } from './ip-address.js';

export type ListenAddress =
  | { readonly host: string; readonly port: number }
  | { readonly path: string };

const rule =
  'it must be host:port, :port (on HOST), or the absolute path of a unix socket, ' +
  'such as 127.0.0.1:3001, [::1]:3001, :3001 or /run/shorty/admin.sock';

// The smallest size of sun_path among Linux, macOS and the BSDs, without its final NUL.
const maxSocketPathBytes = 103;

/** Parses `host:port`, `:port` or a path. Throws an Error that states the rule. */
export function parseListenAddress(text: string, defaultHost: string): ListenAddress {
  if (text.startsWith('/')) return { path: parseSocketPath(text) };
  const [, name, port] = /^([\w.-]{0,253}|\[[\da-f:.]+\]):(\d{1,5})$/i.exec(text) ?? [];
  if (name === undefined || Number(port) > 65_535) throw new Error(rule);
  return { host: name === '' ? defaultHost : withoutBrackets(name), port: Number(port) };
}

export function formatListenAddress(address: ListenAddress): string {
  if ('path' in address) return address.path;
  const { host, port } = address;
  return isIP(host) === 6 ? `[${host}]:${port}` : `${host}:${port}`;
}

function parseSocketPath(text: string): string {
  if (text.endsWith('/') || text.includes('\0')) throw new Error(rule);
  if (Buffer.byteLength(text) > maxSocketPathBytes) {
    throw new Error(`the path of a unix socket must have at most ${maxSocketPathBytes} bytes`);
  }
  return text;
}
