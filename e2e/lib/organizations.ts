import { execFile } from 'node:child_process';
import { join } from 'node:path';
import { promisify } from 'node:util';
import { root } from './processes.js';

interface Credentials {
  readonly clientId: string;
  readonly clientSecret: string;
}

export interface SignedIn {
  readonly token: string;
}

/** Creates an organization with the operator command while the servers run. */
export async function createOrganization(
  environment: NodeJS.ProcessEnv,
  name: string,
  plan: string,
): Promise<Credentials> {
  const server = join(root, 'packages/server/bin/shorty-server.js');
  const { stdout } = await promisify(execFile)(
    process.execPath,
    [server, 'orgs', 'create', '--name', name, '--plan', plan, '--json'],
    { env: { PATH: process.env.PATH, ...environment } },
  );
  return JSON.parse(stdout) as Credentials;
}

export async function signIn(
  origin: string,
  { clientId, clientSecret }: Credentials,
): Promise<SignedIn> {
  const response = await fetch(`${origin}/api/v1/auth/token`, {
    method: 'POST',
    headers: { 'content-type': 'application/json' },
    body: JSON.stringify({ clientId, clientSecret }),
  });
  if (!response.ok) throw new Error(`${response.status} ${await response.text()}`);
  const { data } = (await response.json()) as { data: { accessToken: string } };
  return { token: data.accessToken };
}
