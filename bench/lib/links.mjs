import { randomBytes } from 'node:crypto';
import { Pool } from 'undici';

export const perRequest = 100;
const operatorKey = randomBytes(32).toString('hex');

/** The environment of a server on which `newTenant` creates organizations. */
export const forTenants = { SHORTY_OPERATOR_KEY: operatorKey, SHORTY_TOKEN_RATE_LIMIT: '0' };

/** Creates an organization. Returns the server with its access token. */
export async function newTenant(server) {
  const operator = { ...server, token: operatorKey };
  const body = { name: 'bench', plan: 'enterprise' };
  const { clientId, clientSecret } = await call(operator, 'POST', '/admin/organizations', body);
  const { accessToken } = await call(server, 'POST', '/auth/token', { clientId, clientSecret });
  return { ...server, token: accessToken };
}

/** Sends a request to the API and returns its result. */
export async function call({ origin, token }, method, path, body) {
  const response = await fetch(`${origin}/api/v1${path}`, {
    method,
    headers: { 'content-type': 'application/json', authorization: `Bearer ${token}` },
    body: JSON.stringify(body),
  });
  const { data, error } = await response.json();
  if (!response.ok) throw new Error(`${path}: ${response.status} ${error?.message}`);
  return data;
}

/** Posts bodies to the API, so many at a time, and returns their number a second. */
export async function postAll({ origin }, path, posts, inFlight, isRight) {
  const pool = new Pool(origin, { connections: inFlight });
  const waiting = posts.values();
  const startedAt = performance.now();
  const sender = async () => {
    for (const { token, body } of waiting) {
      const headers = { 'content-type': 'application/json', authorization: `Bearer ${token}` };
      const response = await pool.request({ method: 'POST', path, headers, body });
      const text = await response.body.text();
      if (!isRight(response, text)) throw new Error(`${response.statusCode} ${text.slice(0, 500)}`);
    }
  };
  await Promise.all(Array.from({ length: inFlight }, sender));
  const rate = (posts.length / (performance.now() - startedAt)) * 1000;
  await pool.close();
  return rate;
}

let made = 0;

/** Creates links, 100 a request, and returns their number a second. `linkOf` makes the link with a number. */
export async function bulkCreate(server, rows, { inFlight = 8, linkOf = simpleLink } = {}) {
  const posts = Array.from({ length: rows / perRequest }, () => ({
    token: server.token,
    body: JSON.stringify({ urls: Array.from({ length: perRequest }, () => linkOf(made++)) }),
  }));
  const isRight = ({ statusCode }) => statusCode === 201;
  return (await postAll(server, '/api/v1/urls/bulk', posts, inFlight, isRight)) * perRequest;
}

/** Creates links with the slugs `bench-0`, `bench-1`… Returns the paths of all. */
export async function createVisitedLinks(server, count) {
  const slugs = Array.from({ length: count }, (_, index) => `bench-${index}`);
  let next = 0;
  const linkOf = (index) => ({ ...simpleLink(index), customSlug: slugs[next++] });
  await bulkCreate(server, count, { linkOf });
  return slugs.map((slug) => `/${slug}`);
}

export function simpleLink(index) {
  return { targetUrl: `https://example.com/products/${index}?ref=bench&page=${index % 97}` };
}
