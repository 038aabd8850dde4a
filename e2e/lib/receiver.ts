import { createServer } from 'node:http';
import { verifyWebhook, type WebhookEvent } from '@shorty/webhook-verifier';
import { onTestFinished } from 'vitest';
import { freePort } from './processes.js';

/**
 * Starts a receiver that verifies signatures, passes each event to `onEvent` and answers 204. It
 * answers 401 and records the error when verification or `onEvent` fails. `pause` delays its responses.
 */
export async function startReceiver(
  secret: () => string,
  onEvent: (event: WebhookEvent, deliveryId: string) => void,
) {
  const port = await freePort();
  const errors: unknown[] = [];
  const waiting: (() => void)[] = [];
  let isPaused = false;
  let cutOff = 0;
  const server = createServer(async (request, response) => {
    const chunks: Buffer[] = [];
    for await (const chunk of request) chunks.push(chunk as Buffer);
    const body = Buffer.concat(chunks);
    if (isPaused) {
      response.once('close', () => {
        if (!response.writableFinished) cutOff += 1;
      });
      await new Promise<void>((resolve) => waiting.push(resolve));
    }
    try {
      const event = verifyWebhook({ body, headers: request.headers, secret: secret() });
      onEvent(event, String(request.headers['x-service-delivery-id']));
      response.writeHead(204).end();
    } catch (error) {
      errors.push(error);
      response.writeHead(401).end();
    }
  });
  server.listen(port, '127.0.0.1');
  onTestFinished(() => {
    server.closeAllConnections();
    server.close();
  });
  return {
    url: `http://127.0.0.1:${port}/hook`,
    errors,
    /** Returns how many deliveries wait for a response. */
    waiting: () => waiting.length,
    /** Returns how many deliveries lost their sender before the response. */
    cutOff: () => cutOff,
    pause() {
      isPaused = true;
    },
    resume() {
      isPaused = false;
      for (const respond of waiting.splice(0)) respond();
    },
  };
}

/** Collects the deliveries of each event, for `startReceiver`. */
export function collectDeliveries() {
  const links = new Set<string>();
  const deliveriesOf = new Map<string, Set<string>>();
  return {
    /** The ids of the links that the events are about. */
    links,
    /** The ids of the deliveries of each event. */
    deliveriesOf,
    onEvent(event: WebhookEvent, deliveryId: string): void {
      links.add(String(event.data.id));
      deliveriesOf.set(event.id, (deliveriesOf.get(event.id) ?? new Set()).add(deliveryId));
    },
  };
}
