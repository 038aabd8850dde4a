import { AuthenticationError } from '@shorty/sdk';
import { CliError, exitCodes, UsageError } from '../cli-error.js';
import type { CommandRow } from '../command.js';
import type { Context } from '../context.js';
import { ask, offerScheme, readSecret } from '../prompt.js';
import { checkBaseUrl, defaultProfile, type Settings } from '../settings.js';

export const login: CommandRow = {
  summary: 'Sign in and store an API key or client credentials',
  examples: [
    'shorty login https://links.example.com < key.txt',
    'shorty login https://links.example.com --client-id ID < secret.txt',
  ],
  args: { '[server]': 'address of the server, such as https://links.example.com' },
  help: `Stores an API key or, with --client-id or SHORTY_CLIENT_ID, client credentials.
On a terminal, the command asks for the secret. Otherwise it reads
SHORTY_API_KEY or SHORTY_CLIENT_SECRET, or stdin.`,
  hasNoData: true,
  run: async (context, { server }: { server?: string }) => {
    const { config, output } = context;
    const content = await config.read();
    const settings = await context.settings();
    const name = settings.profile.value;
    const baseUrl = await chooseBaseUrl(context, settings, server);
    if (context.isInteractive) output.note(`signing in to ${baseUrl} (profile ${name})`);
    const credentials = await readCredentials(context, settings);
    const client = await context.open(credentials, { baseUrl });
    const { organization, scopes } = await client.me(context.request).catch((error: unknown) => {
      if (!(error instanceof AuthenticationError)) throw error;
      const { code, message } = error;
      const name = 'apiKey' in credentials ? 'SHORTY_API_KEY' : 'SHORTY_CLIENT_SECRET';
      const next = context.io.env[name]
        ? `correct ${name}, or unset it to be asked`
        : `copy it again, and check that it is of ${baseUrl}`;
      const options = { exitCode: exitCodes.notAllowed, hint: `nothing was stored: ${next}` };
      throw new CliError(message, { ...options, code: code ?? 'UNAUTHORIZED' });
    });
    content.profiles[name] = { baseUrl, ...credentials };
    await config.write(content);
    output.note(`signed in to ${baseUrl} as ${organization.name} (profile ${name})`);
    if (name !== (content.profile ?? defaultProfile)) {
      output.note(`use it with --profile ${name}, or always: shorty config set profile ${name}`);
    }
    output.note(`scopes: ${scopes.join(' ')}`);
  },
};

const secretVariables = [
  ...['SHORTY_API_KEY', 'SHORTY_ACCESS_TOKEN', 'SHORTY_CLIENT_ID', 'SHORTY_CLIENT_SECRET'],
];

export const logout: CommandRow = {
  summary: 'Remove the credentials of a profile',
  examples: ['shorty logout', 'shorty logout --profile staging'],
  hasNoData: true,
  run: async ({ config, io, output, settings }) => {
    const content = await config.read();
    const { value: name } = (await settings()).profile;
    const { apiKey, clientId, clientSecret, ...rest } = content.profiles[name] ?? {};
    if (!apiKey && !clientId && !clientSecret) {
      output.note(`profile ${name} has no credentials`);
      return;
    }
    content.profiles[name] = rest;
    await config.write(content);
    output.note(`removed the credentials of profile ${name}`);
    for (const variable of secretVariables) {
      if (io.env[variable]) output.note(`${variable} is still set in the environment`);
    }
  },
};

async function chooseBaseUrl(context: Context, settings: Settings, server: string | undefined) {
  const { source, value } = settings.baseUrl;
  if (server !== undefined) return readBaseUrl(server, 'argument', context);
  if (source !== 'default' || !context.isInteractive) return value;
  const answer = await ask(`Server [${value}]: `, context.io);
  return answer === '' ? value : readBaseUrl(answer, 'prompt', context);
}

async function readBaseUrl(text: string, source: string, context: Context): Promise<string> {
  return checkBaseUrl({ value: await offerScheme(text, 'the address', context), source });
}

/** Returns client credentials if a client id is known, and else an API key. */
async function readCredentials(context: Context, { clientId }: Settings) {
  const { env } = context.io;
  const isStored = clientId?.source.startsWith('profile ') === true;
  if (!clientId || (isStored && env.SHORTY_API_KEY)) {
    return { apiKey: env.SHORTY_API_KEY || (await readTyped(context, 'API key')) };
  }
  const clientSecret =
    env.SHORTY_CLIENT_SECRET || (await readTyped(context, `secret of ${clientId.value}`));
  return { clientId: clientId.value, clientSecret };
}

async function readTyped(context: Context, name: string): Promise<string> {
  const secret = await readSecret(context, `${name} (not shown): `);
  if (secret !== '') return secret;
  throw new UsageError(
    `no ${name}`,
    'type it at the prompt, pipe it to stdin, or set SHORTY_API_KEY or SHORTY_CLIENT_SECRET',
  );
}
