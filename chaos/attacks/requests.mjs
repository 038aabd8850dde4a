// Attacks without authentication that need a single connection: headers, paths, sockets.
import { repeat } from '../lib/target.mjs';

const visit = (path, headers) =>
  Buffer.from(
    `GET ${path} HTTP/1.1\r\nHost: short.example\r\n${headers}Connection: close\r\n\r\n`,
    'latin1',
  );

const readHeaders = [
  'Referer',
  'User-Agent',
  'X-Forwarded-For',
  'X-Request-Id',
  'Accept',
  'Accept-Language',
  'Sec-Purpose',
  'Cookie',
  'If-None-Match',
  'Range',
  'Authorization',
  'Idempotency-Key',
  'Content-Type',
];

export const requests = {
  /** Distinct Referers until the URL parser is compiled, then Latin-1 bytes that it misreads. */
  'latin-1-headers': ({ target, signal }) =>
    repeat(signal, 16, async (turn) => {
      const byte = String.fromCharCode(0x80 + (turn % 0x80));
      if (turn % 4 !== 0) {
        await target.request('GET', `/honest-${turn % 500}`, {
          headers: { host: 'short.example', referer: `https://site-${turn}.example/` },
        });
        return;
      }
      const name = readHeaders[(turn >> 2) % readHeaders.length];
      const values = [`https://${byte}\xa0x.example`, `https://\xc3\xa0x.example`, byte.repeat(9)];
      const value = values[(turn >> 2) % values.length];
      await target.raw(visit(`/honest-${turn % 500}`, `${name}: ${value}\r\n`));
    }),

  /** Long paths of repeated characters, which once made the log filter backtrack. */
  'long-paths': ({ target, signal }) => {
    const paths = ['+', '%20', '%0a', 'a', '/', '.', '=', '%2B', '&a', ';'];
    return repeat(signal, 4, async (turn) => {
      const unit = paths[turn % paths.length];
      const path = `/${unit.repeat(Math.floor(78_000 / unit.length))}`;
      const query = turn % 2 ? path : `/api/v1/urls?search=${path.slice(1)}`;
      await target.raw(visit(query, ''));
    });
  },

  /** Connections that send one byte of a request line a second, and ones that send nothing. */
  'slow-connections': ({ target, signal }) =>
    repeat(signal, 400, (turn) =>
      target.raw(turn % 2 ? 'GET / HT' : 'GET / HTTP/1.1\r\nX-Slow: ', { holdMs: 20_000 }),
    ),
};
