// Runs one attack in its own process, so that it uses no time of the honest clients' event loop.
// Its parent sends the attack's name and context, then "stop". It replies with a count of the
// server's responses by status.
import { setPriority } from 'node:os';
import { attacks } from './attacks.mjs';
import { createTarget } from './lib/target.mjs';

// Attackers have machines of their own. Here they share two cores with the server and the honest
// clients, and the scheduler must not give them what a remote attacker could not take.
setPriority(10);

const controller = new AbortController();
// An attack holds thousands of listeners on one signal on purpose.
const { setMaxListeners } = await import('node:events');
setMaxListeners(0, controller.signal);

process.once('message', async ({ name, context }) => {
  const { signal } = controller;
  const target = createTarget({ ...context, signal });
  process.once('message', () => controller.abort());
  await attacks[name]({ ...context, target, signal });
  process.send(Object.fromEntries(target.statuses), () => process.exit(0));
});
