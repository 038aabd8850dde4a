import type { DefineCommand } from '../../command.js';
import type { Context } from '../../context.js';
import { type ExitCode, exitCodes } from '../../exit-codes.js';
import { configKeys, parseConfigKey, writeSetting } from './config-keys.js';

export const define: DefineCommand = (command, start) => {
  command
    .argument('<key>', `one of ${configKeys.join(', ')}`)
    .action((key: string) => start((context) => unsetSetting(context, key), { hasNoData: true }));
};

async function unsetSetting(context: Context, text: string): Promise<ExitCode> {
  const key = parseConfigKey(text);
  const content = await context.config.read();
  const { profile } = await context.settings();
  await context.config.write(writeSetting(content, profile.value, key, undefined));
  return exitCodes.done;
}
