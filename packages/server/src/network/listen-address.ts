import { isIP } from 'node:net';
import { withoutBrackets } from './ip-address.js';
import { parseUrl } from './parse-url.js';

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
  const [, name, port] = /^([^[\]]*|\[[\da-f:.]+\]):(\d{1,5})$/i.exec(text) ?? [];
  if (name === undefined || Number(port) > 65_535 || !isHost(name)) throw new Error(rule);
  return { host: name === '' ? defaultHost : withoutBrackets(name), port: Number(port) };
}

function isHost(name: string): boolean {
  if (name.startsWith('[')) return isIP(withoutBrackets(name)) === 6;
  // The parser completes 127.1 and 0x7f.1, which some resolvers read as other addresses.
  const parsed = /^[a-z\d.-]+$/i.test(name) ? parseUrl(`http://${name}`) : undefined;
  return name === '' || parsed?.host === name.toLowerCase();
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
