import { UsageError } from '../../cli-error.js';
import type { DefineCommand } from '../../command.js';
import type { Context } from '../../context.js';
import { type ExitCode, exitCodes } from '../../exit-codes.js';
import { checkBaseUrl } from '../../settings.js';
import { configKeys, parseConfigKey, writeSetting } from './config-keys.js';

export const define: DefineCommand = (command, start) => {
  command
    .argument('<key>', `one of ${configKeys.join(', ')}`)
    .argument('<value>')
    .action((key: string, value: string) =>
      start((context) => setSetting(context, key, value), { hasNoData: true }),
    );
};

async function setSetting(context: Context, text: string, value: string): Promise<ExitCode> {
  const key = parseConfigKey(text);
  if (value === '') throw new UsageError(`${key} must not be empty`, 'use shorty config unset');
  const checked = key === 'baseUrl' ? checkBaseUrl({ value, source: 'argument' }) : value;
  const content = await context.config.read();
  const { profile } = await context.settings();
  await context.config.write(writeSetting(content, profile.value, key, checked));
  return exitCodes.done;
}
