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
 * Returns the headers that give a browser its session. Behind TLS, the cookie's prefix keeps other hosts
 * of the domain and plain HTTP from setting it.
 */
export function sessionCookie(origin: string, token: string): Readonly<Record<string, string>> {
  return cookie(origin, token, sessionLifetimeMs / 1000);
}

export function endedCookie(origin: string): Readonly<Record<string, string>> {
  return cookie(origin, '', 0);
}

function cookie(origin: string, value: string, maxAge: number) {
  return {
    'Set-Cookie': cookieOf(origin, sessionName, value, maxAge),
    'Cache-Control': 'no-store',
  };
}

/** Returns a cookie that no script can read, and that other sites can send with a navigation only. */
export function cookieOf(origin: string, name: string, value: string, maxAge: number): string {
  const secure = isSecure(origin) ? '; Secure' : '';
  return `${nameOf(origin, name)}=${value}; Path=/; Max-Age=${maxAge}; HttpOnly; SameSite=Lax${secure}`;
}

/** Returns the token of a request's session; undefined when it has none. */
export function sessionTokenOf(origin: string, headers: IncomingHttpHeaders): string | undefined {
  return readCookie(origin, sessionName, headers);
}

/** Returns the value of a cookie that `cookieOf` has made; undefined without one. */
export function readCookie(
  origin: string,
  name: string,
  headers: IncomingHttpHeaders,
): string | undefined {
  const start = `${nameOf(origin, name)}=`;
  const cookies = (headers.cookie ?? '').split(';').map((each) => each.trim());
  return cookies.find((each) => each.startsWith(start))?.slice(start.length) || undefined;
}

/**
 * Throws CROSS_ORIGIN unless a browser says that a page of this server makes the request. Other sites can
 * make a browser send its cookie, too.
 */
export function requireSameOrigin(origin: string, headers: IncomingHttpHeaders): void {
  if (!isSameOrigin(origin, headers)) throw crossOrigin();
}

/**
 * Throws CROSS_ORIGIN for a request that a page of another origin makes. Programs, which send neither
 * header, may sign in.
 */
export function refuseCrossOrigin(origin: string, headers: IncomingHttpHeaders): void {
  const isProgram = headers['sec-fetch-site'] === undefined && headers.origin === undefined;
  if (!isProgram) requireSameOrigin(origin, headers);
}

// Browsers send Sec-Fetch-Site to addresses with TLS and to localhost, and Origin with each write.
function isSameOrigin(own: string, headers: IncomingHttpHeaders): boolean {
  const { 'sec-fetch-site': site, origin, host } = headers;
  if (site !== undefined) return site === 'same-origin';
  return origin !== undefined && (origin === own || origin === `http://${host}`);
}

function crossOrigin(): ApiError {
  const message = 'A request by the session of a browser must come from a page of this server';
  return new ApiError('CROSS_ORIGIN', message);
}

const isSecure = (origin: string) => origin.startsWith('https:');

const nameOf = (origin: string, name: string) => (isSecure(origin) ? `__Host-${name}` : name);
