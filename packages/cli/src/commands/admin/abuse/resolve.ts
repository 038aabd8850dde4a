import { Option } from 'commander';
import { UsageError } from '../../../cli-error.js';
import type { DefineCommand } from '../../../command.js';
import { exitCodes } from '../../../exit-codes.js';

interface ResolveOptions {
  readonly dismiss?: boolean;
  readonly takeDown?: boolean;
  readonly reason?: string;
}

export const define: DefineCommand = (command, start) => {
  command
    .argument('<id>', 'id of the report')
    .addOption(new Option('--dismiss', 'do nothing to the link').conflicts(['takeDown', 'reason']))
    .option('--take-down', 'take the link down')
    .option('--reason <text>', 'why, for the owner of the link (default: that of the report)')
    .action((id: string, { dismiss, takeDown, reason }: ResolveOptions) =>
      start(async (context) => {
        if (!dismiss && !takeDown) {
          throw new UsageError('nothing to do', 'add --dismiss or --take-down');
        }
        const client = await context.operator();
        const resolution = takeDown ? 'takenDown' : 'dismissed';
        const body = { resolution, ...(reason !== undefined && { reason }) } as const;
        const request = { signal: context.io.interrupt };
        const path = '/api/v1/admin/abuse-reports/{id}/resolve';
        const input = { params: { id }, body };
        await context.output.record(await client.request('POST', path, input, request));
        return exitCodes.done;
      }),
    );
};
