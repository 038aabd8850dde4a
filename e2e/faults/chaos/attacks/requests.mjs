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

  /** Thousands of requests in one write, more than a connection may have waiting. */
  pipelining: ({ target, signal }) => {
    const path = (n) => (n % 3 === 0 ? '/health/live' : `/honest-${n % 500}`);
    const lines = (count) =>
      Array.from(
        { length: count },
        (_, n) => `GET ${path(n)} HTTP/1.1\r\nHost: short.example\r\n\r\n`,
      ).join('');
    const few = lines(200);
    const many = lines(3_000);
    return repeat(signal, 4, (turn) => target.raw(turn % 4 ? few : many, { holdMs: 500 }));
  },

  /** Headers of nearly the largest size that the parser accepts, each time with other bytes. */
  'long-headers': ({ target, signal }) => {
    const units = {
      Host: (turn) => `h${turn}.`,
      Accept: (turn) => `text/x${turn};q=0.1,`,
      'X-Forwarded-For': (turn) => `10.0.${turn % 256}.1, `,
      'If-None-Match': (turn) => `"e${turn}", `,
      'Accept-Language': (turn) => `l${turn % 100};q=0.5,`,
      Cookie: (turn) => `c${turn}=1; `,
      'User-Agent': (turn) => `Agent/${turn} (`,
      Referer: (turn) => `https://r${turn}.example/`,
    };
    const names = Object.keys(units);
    return repeat(signal, 8, (turn) => {
      const name = names[turn % names.length];
      const unit = units[name](turn);
      const value = unit.repeat(Math.floor(14_000 / unit.length)).trim();
      return target.raw(visit(`/honest-${turn % 500}`, `${name}: ${value}\r\n`));
    });
  },

  /** A new hostname and a new path in each request, so that no cache helps. */
  'unknown-hosts': ({ target, signal }) =>
    repeat(signal, 16, (turn) =>
      target.request('GET', `/no-such-link-${turn}`, {
        headers: { host: `host-${turn}.attack.example` },
      }),
    ),

  /** Connections that send one byte of a request line a second, and ones that send nothing. */
  'slow-connections': ({ target, signal }) =>
    repeat(signal, 400, (turn) =>
      target.raw(turn % 2 ? 'GET / HT' : 'GET / HTTP/1.1\r\nX-Slow: ', { holdMs: 20_000 }),
    ),
};
