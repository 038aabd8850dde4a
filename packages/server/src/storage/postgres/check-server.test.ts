import { expect, it } from 'vitest';
import { explainRefusal } from './check-server.js';
import { parsePostgresUrl } from './postgres-url.js';

it.each([
  ['CERT_HAS_EXPIRED', 'certificate has expired', 'has expired: renew it'],
  [
    'ERR_TLS_CERT_ALTNAME_INVALID',
    "Host: db.example. is not in the cert's altnames: DNS:db",
    /is for another host \(Host: db.example.*\): correct the host, or get/,
  ],
  ['DEPTH_ZERO_SELF_SIGNED_CERT', 'self-signed certificate', 'in NODE_EXTRA_CA_CERTS'],
  ['UNABLE_TO_VERIFY_LEAF_SIGNATURE', 'unable to verify', 'in NODE_EXTRA_CA_CERTS'],
  [undefined, 'The server does not support SSL connections', 'set ssl = on in postgresql.conf'],
])('the error %s of TLS names the setting and the remedy', (code, message, remedy) => {
  const address = parsePostgresUrl('postgres://shorty@db.example/links?sslmode=verify-full');
  const error = Object.assign(new Error(message), { code });
  const { message: explained } = explainRefusal(error, address) as Error;
  expect(explained).toMatch(/^SHORTY_DATABASE_URL: /);
  expect(explained).toMatch(remedy);
});
