import { Agent, get } from 'node:http';
import { setTimeout as sleep } from 'node:timers/promises';

const perNode = 8;
const headers = {
  'user-agent': 'Mozilla/5.0 (X11; Linux x86_64; rv:128.0) Gecko/20100101 Firefox/128.0',
};

/** Follows links on several nodes, some connections to each, until it is told to end. */
export function followLinks(addressesOfNodes: readonly (readonly string[])[]) {
  const agent = new Agent({ keepAlive: true });
  let answered = 0;
  let cutOff = 0;
  let isOver = false;
  const unexpected = new Map<string, number>();

  /** Whether the node answered. */
  const follow = (address: string) =>
    new Promise<boolean>((resolve) => {
      const request = get(address, { agent, headers }, (answer) => {
        answer.resume();
        answer.once('end', () => {
          if (answer.statusCode === 307) answered += 1;
          else {
            const status = `status ${answer.statusCode}`;
            unexpected.set(status, (unexpected.get(status) ?? 0) + 1);
          }
          resolve(true);
        });
        answer.once('error', () => request.destroy());
      });
      request.once('error', (error: NodeJS.ErrnoException) => {
        // Where nobody listens, nobody has counted it.
        if (error.code !== 'ECONNREFUSED') cutOff += 1;
        resolve(false);
      });
    });
  const visitors = addressesOfNodes.flatMap((addresses) =>
    Array.from({ length: perNode }, async (_, visitor) => {
      for (let turn = visitor; !isOver; turn += 1) {
        const isThere = await follow(addresses[turn % addresses.length] as string);
        // The machine also runs what is tested.
        await sleep(isThere ? 10 : 50);
      }
    }),
  );
  return {
    /** Redirects whose answers came whole. */
    answered: () => answered,
    /** Requests that may have been counted and were not answered. */
    cutOff: () => cutOff,
    /** Answers that were no redirects. */
    unexpected: () => [...unexpected].map(([what, count]) => `${what}: ${count}`),
    async end() {
      isOver = true;
      await Promise.all(visitors);
      agent.destroy();
    },
  };
}
