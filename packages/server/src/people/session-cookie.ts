import type { IncomingHttpHeaders } from 'node:http';
import { ApiError } from '../contract/api-error.js';
import { sessionLifetimeMs } from './user-contract.js';

const sessionName = 'shorty_session';

/**
 * Returns the link by which a person sets a password. Browsers do not send what follows the #. Without an
 * address, the page asks for one.
 */
export function invitationUrlOf(origin: string, token: string, email: string | null): string {
  return `${origin}/dashboard/welcome${email === null ? '?ask=email' : ''}#${token}`;
}

/**
 * Returns the headers that give a browser its session, or end it. Behind TLS, the cookie's prefix keeps
 * other hosts of the domain and plain HTTP from setting it.
 */
export function sessionCookie(origin: string, token: string): Readonly<Record<string, string>> {
  const maxAge = token === '' ? 0 : sessionLifetimeMs / 1000;
  const cookie = cookieOf(origin, sessionName, token, maxAge);
  return { 'Set-Cookie': cookie, 'Cache-Control': 'no-store' };
}

/** Returns a cookie that no script can read, and that other sites can send with a navigation only. */
export function cookieOf(origin: string, name: string, value: string, maxAge: number): string {
  const secure = isSecure(origin) ? '; Secure' : '';
  return `${nameOf(origin, name)}=${value}; Path=/; Max-Age=${maxAge}; HttpOnly; SameSite=Lax${secure}`;
}

/** Returns the value of a cookie that `cookieOf` has made: by default, the token of a session. */
export function readCookie(
  origin: string,
  { cookie = '' }: IncomingHttpHeaders,
  name = sessionName,
): string | undefined {
  const start = `${nameOf(origin, name)}=`;
  const cookies = cookie.split(';').map((each) => each.trim());
  return cookies.find((each) => each.startsWith(start))?.slice(start.length) || undefined;
}

/**
 * Throws CROSS_ORIGIN unless a browser says that a page of this server makes the request. Other sites can
 * make a browser send its cookie, too.
 */
export function requireSameOrigin(own: string, headers: IncomingHttpHeaders): void {
  // Browsers send Sec-Fetch-Site to addresses with TLS and to localhost, and Origin with each write.
  const { 'sec-fetch-site': site, origin, host } = headers;
  // Without TLS, browsers store no secure cookie, so nobody could sign in there.
  const isPlain = !isSecure(own) && origin === `http://${host}`;
  const isOwn = origin !== undefined && (origin === own || isPlain);
  if (site === undefined ? isOwn : site === 'same-origin') return;
  const message = `A request by the session of a browser must come from a page of this server: open ${own}/dashboard/`;
  throw new ApiError('CROSS_ORIGIN', message);
}

/**
 * Throws CROSS_ORIGIN for a request that a page of another origin makes. Programs, which send neither
 * header, may sign in.
 */
export function refuseCrossOrigin(origin: string, headers: IncomingHttpHeaders): void {
  const isProgram = headers['sec-fetch-site'] === undefined && headers.origin === undefined;
  if (!isProgram) requireSameOrigin(origin, headers);
}

const isSecure = (origin: string) => origin.startsWith('https:');

const nameOf = (origin: string, name: string) => (isSecure(origin) ? `__Host-${name}` : name);
