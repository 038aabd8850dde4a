import { UsageError } from '../cli-error.js';
import { type CommandRow, collect, repeatable } from '../command.js';

const clearable = 'excludeAddresses';

export const organizationCommands: Readonly<Record<string, CommandRow>> = {
  get: {
    summary: 'Show the settings of the organization',
    examples: ['shorty organization get'],
    run: async ({ client, output, request }) => {
      await output.record(await (await client()).organization.get(request));
    },
  },
  update: {
    summary: 'Change which addresses are not counted',
    examples: [
      'shorty organization update --exclude-address 203.0.113.0/24',
      'shorty organization update --clear excludeAddresses',
    ],
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
    prints: ['PATCH /api/v1/organization'],
    run: async (
      { client, output, request },
      { excludeAddress, clear = [] }: { excludeAddress?: string[]; clear?: string[] },
    ) => {
      const unknown = clear.find((name) => name !== clearable);
      if (unknown !== undefined) {
        throw new UsageError(`--clear ${unknown}: must be ${clearable}`);
      }
      const excludeAddresses = clear.length > 0 ? [] : excludeAddress;
      if (!excludeAddresses) {
        throw new UsageError('nothing to change', `use --exclude-address or --clear ${clearable}`);
      }
      const { organization } = await client();
      const patch = { excludeAddresses };
      await output.updated('organization', patch, await organization.update(patch, request));
    },
  },
};
