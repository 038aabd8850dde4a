import type { DefineCommand } from '../../command.js';
import type { Context } from '../../context.js';
import { type ExitCode, exitCodes } from '../../exit-codes.js';

export const define: DefineCommand = (command, start) => {
  command.action(() => start(listSettings));
};

const secretSettings = new Set(['clientSecret', 'apiKey']);

interface StoredSetting {
  readonly profile: string;
  readonly key: string;
  readonly value: string;
}

async function listSettings(context: Context): Promise<ExitCode> {
  const content = await context.config.read();
  const rows: StoredSetting[] = [];
  if (content.profile) rows.push({ profile: '', key: 'profile', value: content.profile });
  for (const [profile, stored] of Object.entries(content.profiles)) {
    for (const [key, value] of Object.entries(stored)) {
      rows.push({ profile, key, value: secretSettings.has(key) ? '(kept secret)' : value });
    }
  }
  await context.output.list(onePage(rows), [
    { name: 'profile', value: (row) => row.profile },
    { name: 'key', value: (row) => row.key },
    { name: 'value', value: (row) => row.value },
  ]);
  return exitCodes.done;
}

async function* onePage<T>(items: readonly T[]): AsyncGenerator<readonly T[]> {
  yield items;
}
