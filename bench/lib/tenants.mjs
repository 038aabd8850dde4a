import { randomBytes } from 'node:crypto';

const operatorKey = randomBytes(32).toString('hex');

/** The environment of a server on which `newTenant` creates organizations. */
export const forTenants = { SHORTY_OPERATOR_KEY: operatorKey, SHORTY_TOKEN_RATE_LIMIT: '0' };

/** Creates an organization. Returns the server with its access token. */
export async function newTenant(server) {
  const operator = { ...server, token: operatorKey };
  const body = { name: 'bench', plan: 'enterprise' };
  const credentials = await call(operator, 'POST', '/admin/organizations', body);
  const { clientId, clientSecret } = credentials;
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
