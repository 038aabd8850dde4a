import { destination, pino } from 'pino';
import type { Credentials } from '../auth/auth-service.js';
import { ConfigError, readConfig } from '../config.js';
import { createServer } from '../create-server.js';

const stopSignals = ['SIGTERM', 'SIGINT'] as const;

/** Serves until a signal asks to stop. */
export async function start(): Promise<void> {
  const config = readConfig(process.env);
  // Logs go to stderr; stdout tells a person how to go on.
  const logger = pino({ level: config.logLevel }, destination({ dest: 2, sync: true }));
  const server = createServer({ ...config, logger });
  await server.start().catch((error: NodeJS.ErrnoException) => {
    if (error.code !== 'EADDRINUSE') throw error;
    throw new ConfigError(
      `PORT is ${config.port}: another process listens there; stop it, or set PORT to a free one`,
    );
  });
  process.stdout.write(welcome(server.url, config.credentials ? undefined : server.credentials));
  logger.info({ url: server.url }, 'listening');

  const signal = await new Promise<string>((resolve) => {
    for (const name of stopSignals) process.once(name, () => resolve(name));
  });
  logger.info({ signal }, 'stopping');
  await server.stop();
  logger.info('stopped');
}

function welcome(url: string, credentials: Credentials | undefined): string {
  const signIn = credentials
    ? `export SHORTY_BASE_URL=${url} SHORTY_CLIENT_ID=${credentials.clientId} SHORTY_CLIENT_SECRET=${credentials.clientSecret}`
    : `npx shorty login --base-url ${url}   # lost the secret? npx shorty-server clients create`;
  const secret = credentials
    ? `
Credentials of the default organization. They are shown only now:
  client id      ${credentials.clientId}
  client secret  ${credentials.clientSecret}
`
    : '';
  return `
Shorty is listening on ${url}
${secret}
Try next, in another terminal:
  ${signIn}
  npx shorty urls create https://example.com
  npx shorty urls bulk-create examples/links.csv

`;
}
