import type { DefineCommand } from '../../../command.js';
import { changeOrganization } from './change-organization.js';

export const define: DefineCommand = (command, start) => {
  command
    .argument('<id>', 'id of the organization')
    .action((id: string) =>
      start((context) => changeOrganization(context, id, { isSuspended: false })),
    );
};
