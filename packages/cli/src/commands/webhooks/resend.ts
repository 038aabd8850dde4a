import type { DefineCommand } from '../../command.js';
import { replayDelivery } from './replay.js';

export const define: DefineCommand = (command, start) => {
  command
    .argument('<id>', 'id of the webhook')
    .argument('<delivery-id>', 'id of the delivery to repeat')
    .action((id: string, deliveryId: string) =>
      start((context) => replayDelivery(context, id, deliveryId)),
    );
};
