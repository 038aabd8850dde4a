import { Shorty, type UrlRecord } from '@shorty/sdk';
import { createServer, type ServerOptions } from '@shorty/server';

/** Starts a real server in this process. */
export async function startApiServer(options: ServerOptions = {}) {
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
    /** The environment variables of a signed-in command. */
    env: {
      SHORTY_BASE_URL: url,
      SHORTY_CLIENT_ID: clientId,
      SHORTY_CLIENT_SECRET: clientSecret,
    },
    client,
    /** Creates an access token with a scope. */
    async token(scope: string) {
      const response = await fetch(`${url}/api/v1/auth/token`, {
        method: 'POST',
        headers: { 'content-type': 'application/json' },
        body: JSON.stringify({ clientId, clientSecret, scope }),
      });
      const { data } = (await response.json()) as { data: { accessToken: string } };
      return data.accessToken;
    },
    /** Returns every link, oldest first. */
    async links() {
      const links: UrlRecord[] = [];
      for await (const { id } of client.urls.list()) links.push(await client.urls.get(id));
      return links.sort((a, b) => Number(a.id) - Number(b.id));
    },
    stop: () => server.stop(),
  };
}
