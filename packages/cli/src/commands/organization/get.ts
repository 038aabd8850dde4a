import type { DefineCommand } from '../../command.js';
import { exitCodes } from '../../exit-codes.js';

export const define: DefineCommand = (command, start) => {
  command.action(() =>
    start(async (context) => {
      const client = await context.client();
      await context.output.record(await client.organization.get({ signal: context.io.interrupt }));
      return exitCodes.done;
    }),
  );
};
