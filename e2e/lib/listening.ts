import { poll } from '../../packages/server/test/poll.js';
import { type Run, scratchFolder, shorty } from './processes.js';
import { startReceiver } from './receiver.js';

/** `shorty webhooks listen` in a separate process, and the receiver that it forwards to. */
export interface Listening extends Run {
  /** How often the receiver got the event of each link. */
  readonly timesByLink: ReadonlyMap<string, number>;
  /** The errors of the receiver, such as a wrong signature. */
  readonly errors: readonly unknown[];
}

/** Starts `shorty webhooks listen` for `url.created`. Resolves when it waits for events. */
export async function startListening(
  origin: string,
  environment: NodeJS.ProcessEnv = {},
): Promise<Listening> {
  const timesByLink = new Map<string, number>();
  const secret = 'secret-of-the-receiver';
  const receiver = await startReceiver(
    () => secret,
    ({ data }) => {
      const link = String((data as { id: unknown }).id);
      timesByLink.set(link, (timesByLink.get(link) ?? 0) + 1);
    },
  );
  const run = shorty(
    ['webhooks', 'listen', '--events', 'url.created', '--forward-to', receiver.url],
    scratchFolder(),
    origin,
    { SHORTY_WEBHOOK_SECRET: secret, ...environment },
  );
  const hasStarted = () => {
    if (run.child.exitCode !== null) throw new Error(`listen exited: ${run.stderr()}`);
    return run.stderr().includes('Ctrl-C stops');
  };
  await poll('shorty webhooks listen waits for events', hasStarted, Boolean);
  return { ...run, timesByLink, errors: receiver.errors };
}
