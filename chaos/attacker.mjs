// One attack in a process of its own, so that it takes nothing from the honest clients' event loop.
// Its parent sends { start } and { stop }; it answers with what the server said to it.
import { attacks } from './attacks/index.mjs';
import { seededRandom } from './lib/random.mjs';
import { createTarget } from './lib/target.mjs';

const controller = new AbortController();
// An attack holds thousands of listeners on one signal on purpose.
const { setMaxListeners } = await import('node:events');
setMaxListeners(0, controller.signal);

process.once('message', async ({ name, seed, context }) => {
  const { signal } = controller;
  const target = createTarget({ ...context, signal });
  process.once('message', () => controller.abort());
  await attacks[name]({ ...context, target, signal, random: seededRandom(seed) });
  process.send(Object.fromEntries(target.statuses), () => process.exit(0));
});
