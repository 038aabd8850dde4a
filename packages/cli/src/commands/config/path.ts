import type { DefineCommand } from '../../command.js';
import { exitCodes } from '../../exit-codes.js';

export const define: DefineCommand = (command, start) => {
  command.action(() =>
    start(async ({ config, output }) => {
      if (output.format === 'table' && !output.fields) await output.write(`${config.path}\n`);
      else await output.record({ path: config.path });
      return exitCodes.done;
    }),
  );
};
