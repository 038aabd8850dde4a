import { readConfig } from './config.js';
import { createServer as create } from './create-server.js';
import type { ServerOptions, ShortyServer } from './server-options.js';

/**
 * Creates the server with its storage, features and HTTP listener. Without options, the database is in
 * memory and the server listens on a free port of the loopback interface.
 *
 * @example
 * ```ts
 * const server = createServer();
 * await server.start();
 * console.log(server.url, server.credentials);
 * await server.stop();
 * ```
 */
export function createServer(options: ServerOptions = {}): ShortyServer {
  try {
    checkAddresses(options);
    const server = create(options);
    const { start } = server;
    return Object.assign(server, {
      start: () =>
        start().catch(async (error: unknown) => {
          await server.stop();
          throw nameOptions(error);
        }),
    });
  } catch (error) {
    throw nameOptions(error);
  }
}

/** Throws a ConfigError for an address that `shorty-server` would refuse. */
function checkAddresses({ baseUrl, shortDomain, publicHost }: ServerOptions): void {
  readConfig({
    SHORTY_BASE_URL: baseUrl,
    SHORTY_SHORT_DOMAIN: shortDomain,
    SHORTY_PUBLIC_HOST: publicHost,
  });
}

// Other options are named as the variables, such as `databaseUrl` for SHORTY_DATABASE_URL.
const otherNames: Readonly<Record<string, string>> = {
  SHORTY_LISTEN: 'listenPath',
  SHORTY_PLANS: 'plansPath',
  SHORTY_SECRET_KEY_PREVIOUS: 'previousSecretKey',
  SHORTY_TRUST_PROXY: 'trustedProxies',
};

/** Names options in the message of an error instead of the variables of `shorty-server`. */
function nameOptions(error: unknown): unknown {
  if (!(error instanceof Error)) return error;
  const nameIn = (text: string) =>
    text.replace(/\b(?:SHORTY_[A-Z_]+|PORT|HOST)\b/g, (name) => otherNames[name] ?? toOption(name));
  error.message = nameIn(error.message);
  if (error.stack !== undefined) error.stack = nameIn(error.stack);
  return error;
}

function toOption(variable: string): string {
  return variable
    .replace(/^SHORTY_/, '')
    .toLowerCase()
    .replace(/_(.)/g, (_, letter: string) => letter.toUpperCase());
}
