import { execFile } from 'node:child_process';
import { writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { connect } from 'node:tls';
import { promisify } from 'node:util';
import { poll } from '../../packages/server/test/poll.js';
import { freePort, root, scratchFolder, startTool, tool } from './processes.js';

interface AdaptedCaddyfile {
  apps: {
    http: { servers: Record<string, { listen: string[] }> };
    tls: { automation: { policies: { issuers?: unknown }[] } };
  };
}

/**
 * Starts Caddy with examples/Caddyfile. Only ports, folders and the certificate authority differ: an
 * internal authority signs, because a public one cannot reach this machine.
 */
export async function startCaddy(upstream: string, shortDomain: string, admin = upstream) {
  const folder = scratchFolder();
  const httpPort = await freePort();
  const httpsPort = await freePort();
  const env = {
    ...process.env,
    HOME: folder,
    XDG_DATA_HOME: folder,
    XDG_CONFIG_HOME: folder,
    SHORTY_UPSTREAM: upstream,
    SHORTY_ADMIN: admin,
    SHORTY_HOST: shortDomain,
  };
  const { stdout } = await promisify(execFile)(
    tool('caddy'),
    ['adapt', '--validate', '--config', join(root, 'examples/Caddyfile'), '--adapter', 'caddyfile'],
    { env },
  );
  const { apps } = JSON.parse(stdout) as AdaptedCaddyfile;
  for (const server of Object.values(apps.http.servers)) {
    server.listen = server.listen.map((address) => address.replace(':443', `:${httpsPort}`));
  }
  for (const policy of apps.tls.automation.policies) policy.issuers = [{ module: 'internal' }];
  const config = join(folder, 'caddy.json');
  await writeFile(
    config,
    JSON.stringify({
      admin: { disabled: true },
      storage: { module: 'file_system', root: folder },
      apps: {
        ...apps,
        http: { ...apps.http, http_port: httpPort, https_port: httpsPort },
        pki: { certificate_authorities: { local: { install_trust: false } } },
      },
    }),
  );
  await startTool('caddy', ['run', '--config', config], httpPort, { env });
  const hasOwn = () => hasCertificate(httpsPort, shortDomain);
  await poll('Caddy has its certificate', hasOwn, Boolean);
  /** The certificate of the authority that signs, for `NODE_EXTRA_CA_CERTS`. */
  const rootCertificate = join(folder, 'pki/authorities/local/root.crt');
  return { httpPort, httpsPort, rootCertificate };
}

/** Whether a TLS handshake succeeds. Caddy listens before it has a certificate for its own domain. */
async function hasCertificate(port: number, servername: string): Promise<boolean> {
  const socket = connect({ host: '127.0.0.1', port, servername, rejectUnauthorized: false });
  return new Promise<boolean>((resolve) => {
    socket.once('secureConnect', () => resolve(true));
    socket.once('error', () => resolve(false));
  }).finally(() => socket.destroy());
}
