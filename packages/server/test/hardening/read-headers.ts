/** Returns a header value that contains the byte where a parser is most likely to fail. */
type ValueWith = (byte: string) => string;

const anywhere: ValueWith = (byte) => `a${byte}b`;

/**
 * Every request header that the server's own code reads by its name. A test compares this list with
 * the sources.
 */
export const ownHeaders: Readonly<Record<string, ValueWith>> = {
  accept: (byte) => `text/html${byte}, application/json;q=0.${byte}`,
  'accept-encoding': (byte) => `gzip${byte}`,
  'accept-language': (byte) => `de${byte},en;q=0.${byte}`,
  authorization: (byte) => `Bearer ${byte}abcdef`,
  'content-encoding': anywhere,
  'content-type': (byte) => `application/json; charset=${byte}`,
  dnt: anywhere,
  forwarded: (byte) => `for="${byte}"`,
  host: (byte) => `a${byte}b.example`,
  'idempotency-key': anywhere,
  'if-match': (byte) => `"${byte}", W/"${byte}"`,
  'if-none-match': (byte) => `"${byte}", W/"${byte}"`,
  referer: (byte) => `https://\xc3${byte}x.example`,
  'sec-ch-ua': (byte) => `"Brave";v="1${byte}", "${byte}";v="99"`,
  'sec-ch-ua-mobile': (byte) => `?1${byte}`,
  'sec-ch-ua-platform': (byte) => `"Android${byte}"`,
  'sec-fetch-dest': anywhere,
  'sec-fetch-mode': anywhere,
  'sec-fetch-site': anywhere,
  'sec-gpc': anywhere,
  'signature-agent': anywhere,
  traceparent: (byte) => `00-4bf92f3577b34da6a3ce929d0e0e4736-00f067aa0ba902b7-0${byte}`,
  'user-agent': (byte) => `Mozilla/5.0 (iPhone; ${byte}) Version/1.${byte}`,
  'x-forwarded-for': (byte) => `1.2.3.4, ${byte}::1`,
  'x-request-id': anywhere,
};

/** Headers that the server's own code reads by a name that is defined in another place. */
export const namedElsewhere: Readonly<Record<string, ValueWith>> = {
  // classify-visit.ts
  'sec-purpose': anywhere,
  purpose: anywhere,
  'x-purpose': anywhere,
  'x-moz': anywhere,
  // SHORTY_COUNTRY_HEADER
  'cf-ipcountry': (byte) => `D${byte}`,
};

/** Headers that Node, Express and cors read, and headers that browsers always send. */
export const foreignHeaders: Readonly<Record<string, ValueWith>> = {
  'accept-language': anywhere,
  'access-control-request-headers': (byte) => `authorization,${byte}`,
  'access-control-request-method': anywhere,
  cookie: (byte) => `a=${byte}`,
  'if-modified-since': anywhere,
  origin: (byte) => `https://${byte}.example`,
  range: (byte) => `bytes=${byte}-`,
  upgrade: anywhere,
  'x-forwarded-host': (byte) => `${byte}.example`,
  'x-forwarded-proto': anywhere,
};

/** Headers that define the end of a request. An invalid one ends the connection. */
export const framingHeaders: Readonly<Record<string, ValueWith>> = {
  connection: anywhere,
  'content-length': (byte) => `1${byte}`,
  expect: (byte) => `100-continue${byte}`,
  'transfer-encoding': (byte) => `chunked${byte}`,
};
