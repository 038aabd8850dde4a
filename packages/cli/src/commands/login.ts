import { CliError, UsageError } from '../cli-error.js';
import type { DefineCommand } from '../command.js';
import type { Context } from '../context.js';
import { type ExitCode, exitCodes } from '../exit-codes.js';
import { ask, askHidden, readSecret } from '../prompt.js';
import { offerScheme } from '../scheme.js';
import { checkBaseUrl, defaultProfile, type Settings } from '../settings.js';
import { fetchScopes } from '../sign-in.js';

export const define: DefineCommand = (command, start) => {
  command
    .argument('[server]', 'address of the server, such as https://links.example.com')
    .addHelpText(
      'after',
      '\nOn a terminal, the command asks for the secret. Otherwise it reads\nSHORTY_CLIENT_SECRET, or stdin.',
    )
    .action((server: string | undefined) =>
      start((context) => login(context, server), { hasNoData: true }),
    );
};

async function login(context: Context, server: string | undefined): Promise<ExitCode> {
  const { config, io, output } = context;
  const content = await config.read();
  const settings = await context.settings();
  const baseUrl = await chooseBaseUrl(context, settings, server);
  if (context.isInteractive)
    output.note(`signing in to ${baseUrl} (profile ${settings.profile.value})`);
  const clientId = await chooseClientId(context, settings);
  const clientSecret = await chooseSecret(context, settings);
  const scopes = await fetchScopes({ baseUrl, clientId, clientSecret }, io);
  const name = settings.profile.value;
  content.profiles[name] = { ...content.profiles[name], baseUrl, clientId, clientSecret };
  await config.write(content);
  output.note(`signed in to ${baseUrl} as ${clientId} (profile ${name})`);
  if (name !== (content.profile ?? defaultProfile)) {
    output.note(`use it with --profile ${name}, or always: shorty config set profile ${name}`);
  }
  output.note(`scopes: ${scopes.join(' ')}`);
  return exitCodes.done;
}

async function chooseBaseUrl(
  context: Context,
  settings: Settings,
  server: string | undefined,
): Promise<string> {
  const { source, value } = settings.baseUrl;
  if (server !== undefined) return readBaseUrl(server, 'argument', context);
  if (source !== 'default' || !context.isInteractive) return value;
  const answer = await ask(`Server [${value}]: `, context.io);
  return answer === '' ? value : readBaseUrl(answer, 'prompt', context);
}

async function readBaseUrl(text: string, source: string, context: Context): Promise<string> {
  const value = await offerScheme(text, 'the address', context);
  return checkBaseUrl({ value, source }, context.io.env);
}

async function chooseClientId(context: Context, settings: Settings): Promise<string> {
  const { clientId } = settings;
  const isExplicit = clientId && !clientId.source.startsWith('profile ');
  if (isExplicit || (clientId && !context.isInteractive)) return clientId.value;
  if (context.isInteractive) {
    const suggestion = clientId ? ` [${clientId.value}]` : '';
    const answer = (await ask(`Client id${suggestion}: `, context.io)) || clientId?.value;
    if (answer) return answer;
  }
  throw new UsageError('no client id', 'use --client-id ID or set SHORTY_CLIENT_ID');
}

async function chooseSecret(context: Context, settings: Settings): Promise<string> {
  const fromEnvironment = context.io.env.SHORTY_CLIENT_SECRET;
  if (fromEnvironment) return settings.clientSecret?.value ?? fromEnvironment;
  const secret = context.isInteractive
    ? await askHidden('Client secret (not shown): ', context.io)
    : await readSecret(context.io);
  if (secret !== '') return secret;
  throw new CliError('no client secret', {
    exitCode: exitCodes.usage,
    code: 'USAGE',
    hint: 'type it at the prompt, pipe it to stdin, or set SHORTY_CLIENT_SECRET',
  });
}
