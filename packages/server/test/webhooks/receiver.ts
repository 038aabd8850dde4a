import type { IncomingHttpHeaders, RequestListener, ServerResponse } from 'node:http';
import { verifyWebhook, type WebhookEvent } from '@shorty/webhook-verifier';
import { httpServer } from '../network/local-server.js';

/** A request that the receiver got. */
export interface Received {
  readonly method: string;
  readonly path: string;
  readonly headers: IncomingHttpHeaders;
  readonly body: string;
  readonly event: WebhookEvent;
}

export type Receiver = Awaited<ReturnType<typeof receiver>>;

type Respond = (response: ServerResponse, count: number) => void;

/** Starts a real receiver that records deliveries. It answers 204 by default. */
export async function receiver(respond: Respond = (response) => response.writeHead(204).end()) {
  const received: Received[] = [];
  const waiting: { count: number; resolve: () => void }[] = [];
  const listener: RequestListener = async (request, response) => {
    const chunks: Buffer[] = [];
    for await (const chunk of request) chunks.push(chunk as Buffer);
    const body = Buffer.concat(chunks).toString();
    const { method = '', url: path = '', headers } = request;
    received.push({ method, path, headers, body, event: JSON.parse(body) as WebhookEvent });
    respond(response, received.length);
    for (const { count, resolve } of waiting) if (received.length >= count) resolve();
  };
  return {
    ...(await httpServer(listener)),
    received,
    /** Resolves when `count` deliveries have arrived. */
    arrived: (count: number) =>
      new Promise<void>((resolve) => {
        if (received.length >= count) resolve();
        else waiting.push({ count, resolve });
      }),
  };
}

/** Verifies the signature of a delivery at a time; throws when it is wrong. */
export function verify({ body, headers }: Received, secret: string, now: number): WebhookEvent {
  return verifyWebhook({ body, headers, secret, now: new Date(now) });
}
