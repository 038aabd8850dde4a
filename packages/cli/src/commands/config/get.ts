import { CliError } from '../../cli-error.js';
import type { DefineCommand } from '../../command.js';
import type { Context } from '../../context.js';
import { type ExitCode, exitCodes } from '../../exit-codes.js';
import { configKeys, parseConfigKey, readSetting } from './config-keys.js';

export const define: DefineCommand = (command, start) => {
  command
    .argument('<key>', `one of ${configKeys.join(', ')}`)
    .action((key: string) => start((context) => getSetting(context, key)));
};

async function getSetting(context: Context, text: string): Promise<ExitCode> {
  const key = parseConfigKey(text);
  const { profile } = await context.settings();
  const value = readSetting(await context.config.read(), profile.value, key);
  if (value === undefined) throw new CliError(`${key} is not set`, { code: 'NOT_SET' });
  const { output } = context;
  if (output.format === 'table' && !output.fields) await output.write(`${value}\n`);
  else await output.record({ [key]: value });
  return exitCodes.done;
}
