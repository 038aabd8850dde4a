import type { ApiKey } from '@shorty/sdk';
import { timeZoneOption } from '../analytics/parse-time.js';
import type { CommandRow, Details } from '../command.js';
import { naming } from '../records.js';
import { changeCommand } from './change-command.js';
import { listCommand, requestCommand } from './request-command.js';

/** Returns the option for scopes. The server knows the scopes, and names a wrong one. */
export function scopesOption(byDefault: string): Details {
  return {
    text: `scopes, separated by spaces (default: ${byDefault})`,
    parse: (text) => text.split(/[\s,]+/).filter(Boolean),
  };
}

export const expiresAtOption: Details = {
  text: 'when it ends: a time, a date (its end) or a duration, such as 90d',
  time: 'end',
};

export const keyCommands: Readonly<Record<string, CommandRow>> = {
  create: requestCommand('createApiKey', {
    examples: [
      'shorty keys create "deploy script" --scopes "urls:read urls:write"',
      'shorty keys create "shop" --domain go.example.com --own-links',
    ],
    args: { '<name>': 'what the key is for' },
    options: {
      '--scopes <scopes>': scopesOption('all of yours, except urls:erase'),
      '--domain <domain>': {
        ...naming('domain', 'restrict it to the links of this custom domain'),
        field: 'domainId',
      },
      '--own-links': { text: 'restrict it to the links that it creates', field: 'onlyOwnLinks' },
      '--expires-at <time>': expiresAtOption,
      ...timeZoneOption,
    },
    note: 'store the key now, it is shown only once; set it as SHORTY_API_KEY, or send it as "Authorization: Bearer ..."',
  }),
  list: listCommand<ApiKey>('listApiKeys', {
    examples: ['shorty keys list'],
    columns: [
      ...(['name', 'start', 'scopes', 'expiresAt', 'lastUsedAt'] as const),
      ...(['domainId', 'onlyOwnLinks', 'id'] as const),
    ],
  }),
  revoke: changeCommand('Revoke', 'key', 'deleteApiKey', {
    examples: ['shorty keys revoke "deploy script"', 'shorty keys revoke shorty_ak_mZ4c'],
  }),
};
