import { CliError } from '../../cli-error.js';
import type { DefineCommand } from '../../command.js';
import type { Context } from '../../context.js';
import { type ExitCode, exitCodes } from '../../exit-codes.js';
import { askHidden, readSecret } from '../../prompt.js';
import { offerScheme } from '../../scheme.js';
import { checkBaseUrl } from '../../settings.js';

export const define: DefineCommand = (command, start) => {
  command
    .argument('[server]', 'address of the server, such as https://links.example.com')
    .addHelpText(
      'after',
      '\nOn a terminal, the command asks for the operator key. Otherwise it reads\nSHORTY_OPERATOR_KEY, or stdin.',
    )
    .action((server: string | undefined) =>
      start((context) => login(context, server), { hasNoData: true }),
    );
};

async function login(context: Context, server: string | undefined): Promise<ExitCode> {
  const { config, io, output } = context;
  const content = await config.read();
  const settings = await context.settings();
  const baseUrl =
    server === undefined
      ? settings.baseUrl.value
      : checkBaseUrl(
          { value: await offerScheme(server, 'the address', context), source: 'argument' },
          io.env,
        );
  const operatorKey = await readKey(context);
  const client = await context.operator({ baseUrl, operatorKey });
  await client.request(
    'GET',
    '/api/v1/admin/organizations',
    { query: { limit: 1 } },
    { signal: io.interrupt },
  );
  const name = settings.profile.value;
  const { [name]: stored } = content.profiles;
  // The credentials of a profile belong to one server.
  const isSameServer = stored?.baseUrl === undefined || stored.baseUrl === baseUrl;
  content.profiles[name] = { ...(isSameServer ? stored : {}), baseUrl, operatorKey };
  await config.write(content);
  output.note(`stored the operator key of ${baseUrl} (profile ${name})`);
  return exitCodes.done;
}

async function readKey({ io, isInteractive }: Context): Promise<string> {
  const key =
    io.env.SHORTY_OPERATOR_KEY ||
    (isInteractive ? await askHidden('Operator key (not shown): ', io) : await readSecret(io));
  if (key !== '') return key;
  throw new CliError('no operator key', {
    exitCode: exitCodes.usage,
    code: 'USAGE',
    hint: 'type it at the prompt, pipe it to stdin, or set SHORTY_OPERATOR_KEY',
  });
}
