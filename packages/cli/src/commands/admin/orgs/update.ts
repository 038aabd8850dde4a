import type { OrganizationUpdateRequest } from '@shorty/sdk';
import { UsageError } from '../../../cli-error.js';
import type { DefineCommand } from '../../../command.js';
import { changeOrganization } from './change-organization.js';
import { planOption } from './plan-option.js';

type UpdateOptions = Pick<OrganizationUpdateRequest, 'name' | 'plan'>;

export const define: DefineCommand = (command, start) => {
  command
    .argument('<id>', 'id of the organization')
    .option('--name <name>', 'its new name')
    .addOption(planOption('its new plan, from the next request on'))
    .action((id: string, options: UpdateOptions) => {
      if (Object.keys(options).length === 0) {
        throw new UsageError('nothing to change', 'use --name or --plan');
      }
      return start((context) => changeOrganization(context, id, options));
    });
};
