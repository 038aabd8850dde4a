// Stores the ids of deliveries in Redis, for receivers on several machines:
//   const deduper = createDeduper({ store: redisStore(await createClient().connect()) });
import { randomUUID } from 'node:crypto';

const deleteOwn = `
  if redis.call('GET', KEYS[1]) == ARGV[1] then return redis.call('DEL', KEYS[1]) end
  return 0`;

/** `client` is a connected client of the package redis. Its keys start with the prefix. */
export function redisStore(client, prefix = 'webhook-delivery:') {
  // A process that was too slow must not release the claim of another.
  const owner = randomUUID();
  return {
    async claim(id, leaseMs) {
      const expiration = { type: 'PX', value: leaseMs };
      // NX: only one process can set the key. Redis deletes it when the lease ends.
      if (await client.set(prefix + id, owner, { condition: 'NX', expiration })) return 'claimed';
      return (await client.get(prefix + id)) === 'done' ? 'done' : 'running';
    },
    async finish(id, ttlMs) {
      await client.set(prefix + id, 'done', { expiration: { type: 'PX', value: ttlMs } });
    },
    async release(id) {
      await client.eval(deleteOwn, { keys: [prefix + id], arguments: [owner] });
    },
  };
}
