import { Agent, get } from 'node:http';
import { thinkTime } from '../../packages/server/test/poll.js';

const perNode = 8;
export const headers = {
  'user-agent': 'Mozilla/5.0 (X11; Linux x86_64; rv:128.0) Gecko/20100101 Firefox/128.0',
};

/** Follows links on several nodes, with several connections to each node, until `end` is called. */
export function followLinks(addressesOfNodes: readonly (readonly string[])[]) {
  const agent = new Agent({ keepAlive: true });
  let answered = 0;
  let cutOff = 0;
  let isOver = false;
  const unexpected = new Map<string, number>();

  /** Resolves to false when the node did not respond. */
  const visit = (address: string) =>
    new Promise<boolean>((resolve) => {
      const request = get(address, { agent, headers }, (response) => {
        response.resume();
        response.once('end', () => {
          if (response.statusCode === 307) answered += 1;
          else {
            const status = `status ${response.statusCode}`;
            unexpected.set(status, (unexpected.get(status) ?? 0) + 1);
          }
          resolve(true);
        });
        response.once('error', () => request.destroy());
      });
      request.once('error', (error: NodeJS.ErrnoException) => {
        // A node that refuses the connection has not counted the visit.
        if (error.code !== 'ECONNREFUSED') cutOff += 1;
        resolve(false);
      });
    });
  const visitors = addressesOfNodes.flatMap((addresses) =>
    Array.from({ length: perNode }, async (_, visitor) => {
      for (let turn = visitor; !isOver; turn += 1) {
        const isUp = await visit(addresses[turn % addresses.length] as string);
        await thinkTime(isUp ? 10 : 50);
      }
    }),
  );
  return {
    /** Returns how many redirects were answered completely. */
    answered: () => answered,
    /** Returns how many requests got no complete response but may have been counted. */
    cutOff: () => cutOff,
    /** Returns the responses that were not redirects. */
    unexpected: () => [...unexpected].map(([what, count]) => `${what}: ${count}`),
    async end() {
      isOver = true;
      await Promise.all(visitors);
      agent.destroy();
    },
  };
}
