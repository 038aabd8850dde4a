import type { DefineCommand } from '../command.js';
import type { Context } from '../context.js';
import { type ExitCode, exitCodes } from '../exit-codes.js';

export const define: DefineCommand = (command, start) => {
  command.action(() => start(logout, { hasNoData: true }));
};

const secretVariables = [
  ...['SHORTY_API_KEY', 'SHORTY_ACCESS_TOKEN', 'SHORTY_CLIENT_ID', 'SHORTY_CLIENT_SECRET'],
];

async function logout({ config, io, output, settings }: Context): Promise<ExitCode> {
  const content = await config.read();
  const { value: name } = (await settings()).profile;
  const { apiKey, clientId, clientSecret, ...rest } = content.profiles[name] ?? {};
  if (!apiKey && !clientId && !clientSecret) {
    output.note(`profile ${name} has no credentials`);
    return exitCodes.done;
  }
  content.profiles[name] = rest;
  await config.write(content);
  output.note(`removed the credentials of profile ${name}`);
  for (const variable of secretVariables) {
    if (io.env[variable]) output.note(`${variable} is still set in the environment`);
  }
  return exitCodes.done;
}
