// Receives webhooks in several processes, which share the ids of the deliveries that are handled.
// Reads SHORTY_WEBHOOK_SECRET, PORT (4000 by default), DEDUPE_URL (file:, postgres: or redis:) and
// LEASE_MS.
import { createServer } from 'node:http';
import { verifyDelivery, WebhookVerificationError } from '@shorty/webhook-verifier';
import { createDeduper, DeliveryInProgressError } from '@shorty/webhook-verifier/dedupe';
import { postgresStore } from './dedupe-postgres.mjs';
import { redisStore } from './dedupe-redis.mjs';
import { sqliteStore } from './dedupe-sqlite.mjs';

async function openStore(url) {
  if (url.startsWith('postgres:')) {
    const { default: pg } = await import('pg');
    return postgresStore(new pg.Pool({ connectionString: url }));
  }
  if (url.startsWith('redis:')) {
    const { createClient } = await import('redis');
    return redisStore(await createClient({ url }).connect());
  }
  const { default: Database } = await import('better-sqlite3');
  return sqliteStore(new Database(url.replace(/^file:/, '')));
}

// Replace it. If it throws, the delivery is refused, and the server sends it again.
async function handle(event) {
  console.log(event.type, JSON.stringify(event.data));
  // A test makes the work last or fail.
  if (process.env.WORK === 'hang') await new Promise(() => undefined);
  if (process.env.WORK === 'fail') throw new Error('the work failed');
}

const secret = process.env.SHORTY_WEBHOOK_SECRET;
const store = await openStore(process.env.DEDUPE_URL ?? 'file:deliveries.db');
const deduper = createDeduper({ store, leaseMs: Number(process.env.LEASE_MS ?? 60_000) });

const server = createServer(async (request, response) => {
  try {
    // Not the id of the event, which a replay has, too.
    const { event, deliveryId } = await verifyDelivery(request, { secret });
    await deduper.once(deliveryId, () => handle(event));
    response.writeHead(204).end();
  } catch (error) {
    console.error(error.message);
    if (error instanceof DeliveryInProgressError) {
      // The other process may fail, so the server must send the delivery again.
      response.writeHead(error.statusCode, error.headers).end();
    } else {
      // 503: the work failed. The server sends the delivery again.
      const status = error instanceof WebhookVerificationError ? error.statusCode : 503;
      response.writeHead(status).end();
    }
  }
});
server.listen(Number(process.env.PORT ?? 4000), () => {
  console.log(`waiting for webhooks on port ${server.address().port}`);
});
