import type { DefineCommand } from '../command.js';
import type { Context } from '../context.js';
import { type ExitCode, exitCodes } from '../exit-codes.js';
import { checkBaseUrl, defaultBaseUrl } from '../settings.js';
import { TokenCache } from '../token-cache.js';

export const define: DefineCommand = (command, start) => {
  command.action(() => start(logout, { hasNoData: true }));
};

const secretVariables = [
  'SHORTY_ACCESS_TOKEN',
  'SHORTY_CLIENT_ID',
  'SHORTY_CLIENT_SECRET',
  'SHORTY_OPERATOR_KEY',
];

async function logout(context: Context): Promise<ExitCode> {
  const { config, output } = context;
  const content = await config.read();
  const { profile } = await context.settings();
  const stored = content.profiles[profile.value];
  if (!stored?.clientId && !stored?.clientSecret && !stored?.operatorKey) {
    output.note(`profile ${profile.value} has no credentials`);
    return exitCodes.done;
  }
  const { clientId, clientSecret, operatorKey: _, ...rest } = stored;
  if (clientId && clientSecret) {
    const baseUrl = checkBaseUrl({ value: stored.baseUrl ?? defaultBaseUrl, source: 'profile' });
    const signIn = { baseUrl, clientId, clientSecret };
    await new TokenCache(context.io, signIn).clear();
  }
  content.profiles[profile.value] = rest;
  await config.write(content);
  output.note(`removed the credentials of profile ${profile.value}`);
  for (const name of secretVariables) {
    if (context.io.env[name]) output.note(`${name} is still set in the environment`);
  }
  return exitCodes.done;
}
