import { Pool } from 'undici';

export const perRequest = 100;

/** Creates links over HTTP, 100 a request. `linkOf` returns the link with an index. */
export function bulkCreator(
  { origin, token },
  { inFlight = 8, linkOf = (index) => ({ targetUrl: targetOf(index) }) } = {},
) {
  const pool = new Pool(origin, { connections: inFlight });
  let made = 0;
  return {
    /** Creates `rows` links and returns the rate a second. */
    async create(rows) {
      const bodies = [];
      for (let start = 0; start < rows; start += perRequest) {
        bodies.push(
          JSON.stringify({
            urls: Array.from({ length: perRequest }, () => linkOf(made++)),
          }),
        );
      }
      const startedAt = performance.now();
      const sender = async () => {
        for (let body = bodies.pop(); body !== undefined; body = bodies.pop()) {
          const response = await pool.request({
            method: 'POST',
            path: '/api/v1/urls/bulk',
            headers: { 'content-type': 'application/json', authorization: `Bearer ${token}` },
            body,
          });
          const { data } = await response.body.json();
          if (data.createdCount !== perRequest) throw new Error(JSON.stringify(data.errors[0]));
        }
      };
      await Promise.all(Array.from({ length: inFlight }, sender));
      return (rows / (performance.now() - startedAt)) * 1000;
    },
    close: () => pool.close(),
  };
}

export function targetOf(index) {
  return `https://example.com/products/${index}?ref=bench&page=${index % 97}`;
}

const alphabet = 'ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789';

export function randomCode() {
  let code = '';
  for (let at = 0; at < 7; at += 1) code += alphabet[Math.floor(Math.random() * 62)];
  return code;
}

/** Returns the text that the server stores for searches of a link without other texts. */
export function searchTextOf(target, code) {
  return `\n${target}\n\n${code}`.toLowerCase();
}
