import { Option } from 'commander';
import { UsageError } from '../../cli-error.js';
import { collect, type DefineCommand } from '../../command.js';
import { exitCodes } from '../../exit-codes.js';

interface UpdateOptions {
  readonly excludeAddress?: readonly string[];
  readonly clear?: readonly string[];
}

const clearable = 'excludeAddresses';

export const define: DefineCommand = (command, start) => {
  command
    .option(
      '--exclude-address <range>',
      'do not count visits from this address or CIDR range; repeatable, replaces the list',
      collect,
    )
    .addOption(
      new Option('--clear <field>', `field to clear: ${clearable}`)
        .argParser(collect)
        .conflicts('excludeAddress'),
    )
    .action(({ excludeAddress, clear = [] }: UpdateOptions) => {
      const unknown = clear.find((name) => name !== clearable);
      if (unknown !== undefined) {
        throw new UsageError(`--clear ${unknown}: must be ${clearable}`);
      }
      const excludeAddresses = clear.length > 0 ? [] : excludeAddress;
      if (!excludeAddresses) {
        throw new UsageError('nothing to change', `use --exclude-address or --clear ${clearable}`);
      }
      return start(async (context) => {
        const client = await context.client();
        const request = { signal: context.io.interrupt };
        await context.output.record(
          await client.organization.update({ excludeAddresses: [...excludeAddresses] }, request),
        );
        return exitCodes.done;
      });
    });
};
