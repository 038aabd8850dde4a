import { Shorty, type UrlRecord } from '@shorty/sdk';
import { createServer, type ServerOptions } from '@shorty/server';

/** A real server in this process. */
export interface ApiServer {
  readonly url: string;
  readonly clientId: string;
  readonly clientSecret: string;
  /** The environment variables of a signed-in command. */
  readonly env: Readonly<Record<string, string>>;
  readonly client: Shorty;
  /** Creates an access token with `scope`. */
  token(scope: string): Promise<string>;
  /** Returns every link, oldest first. */
  links(): Promise<UrlRecord[]>;
  stop(): Promise<void>;
}

export async function startApiServer(options: ServerOptions = {}): Promise<ApiServer> {
  const server = createServer(options);
  await server.start();
  const { url, credentials } = server;
  if (!credentials) throw new Error('the database is not empty');
  const { clientId, clientSecret } = credentials;
  const client = new Shorty({ baseUrl: url, clientId, clientSecret });
  return {
    url,
    clientId,
    clientSecret,
    env: {
      SHORTY_BASE_URL: url,
      SHORTY_CLIENT_ID: clientId,
      SHORTY_CLIENT_SECRET: clientSecret,
    },
    client,
    async token(scope) {
      const response = await fetch(`${url}/api/v1/auth/token`, {
        method: 'POST',
        headers: { 'content-type': 'application/json' },
        body: JSON.stringify({ clientId, clientSecret, scope }),
      });
      const { data } = (await response.json()) as { data: { accessToken: string } };
      return data.accessToken;
    },
    async links() {
      const links: UrlRecord[] = [];
      for await (const { id } of client.urls.list()) links.push(await client.urls.get(id));
      return links.sort((a, b) => Number(a.id) - Number(b.id));
    },
    stop: () => server.stop(),
  };
}
