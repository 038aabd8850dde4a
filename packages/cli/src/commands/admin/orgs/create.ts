import type { Organization } from '@shorty/sdk';
import type { DefineCommand } from '../../../command.js';
import { exitCodes } from '../../../exit-codes.js';
import { planOption } from './plan-option.js';

interface CreateOptions {
  readonly plan: Organization['plan'];
}

export const define: DefineCommand = (command, start) => {
  command
    .argument('<name>', 'name of the organization')
    .addOption(planOption('its plan').makeOptionMandatory())
    .action((name: string, { plan }: CreateOptions) =>
      start(async (context) => {
        const client = await context.operator();
        const path = '/api/v1/admin/organizations';
        const request = { signal: context.io.interrupt };
        const body = { name, plan };
        await context.output.record(await client.request('POST', path, { body }, request));
        context.output.note('store the client secret now, it is shown only once');
        return exitCodes.done;
      }),
    );
};
