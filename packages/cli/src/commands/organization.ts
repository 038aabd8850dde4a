import type { OwnOrganization } from '@shorty/sdk';
import { UsageError } from '../cli-error.js';
import { type CommandRow, collect, defined, repeatable } from '../command.js';
import { requestCommand } from './request-command.js';

const clearable = 'excludeAddresses';

export const organizationCommands: Readonly<Record<string, CommandRow>> = {
  get: requestCommand({
    summary: 'Show the settings of the organization',
    examples: ['shorty organization get'],
    route: 'GET /api/v1/organization',
  }),
  update: requestCommand<OwnOrganization>({
    summary: 'Change which addresses are not counted',
    examples: [
      'shorty organization update --exclude-address 203.0.113.0/24',
      'shorty organization update --clear excludeAddresses',
    ],
    route: 'PATCH /api/v1/organization',
    options: {
      '--exclude-address <range>': repeatable(
        'do not count visits from this address or CIDR range; replaces the list',
      ),
      '--clear <field>': {
        text: `field to clear: ${clearable}`,
        parse: collect,
        conflicts: 'excludeAddress',
      },
    },
    fields: ({ excludeAddress, clear }: { excludeAddress?: string[]; clear?: string[] }) => {
      const unknown = clear?.find((name) => name !== clearable);
      if (unknown !== undefined) throw new UsageError(`--clear ${unknown}: must be ${clearable}`);
      return defined({ excludeAddresses: clear ? [] : excludeAddress });
    },
  }),
};
