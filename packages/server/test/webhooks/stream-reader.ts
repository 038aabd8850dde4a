import { once } from 'node:events';
import { type ClientRequest, request as httpRequest, type IncomingMessage } from 'node:http';
import { verifyWebhook, type WebhookEvent } from '@shorty/webhook-verifier';
import { onTestFinished } from 'vitest';
import { poll } from '../poll.js';

/** A delivery that a stream has sent. */
export interface StreamedDelivery {
  readonly id: string;
  readonly headers: Readonly<Record<string, string>>;
  readonly body: string;
}

/** A client that follows a stream. */
export interface StreamReader {
  readonly response: IncomingMessage;
  readonly deliveries: StreamedDelivery[];
  /** The text as it came. */
  readonly text: () => string;
  readonly hasEnded: () => boolean;
  /** Resolves when `count` deliveries have arrived. Throws if the stream ends before. */
  arrived(count: number): Promise<void>;
  close(): void;
}

/** Opens a stream. `isReading: false` never reads the response. */
export async function openStream(
  base: string,
  token: string,
  id: string,
  { isReading = true } = {},
): Promise<StreamReader> {
  const request: ClientRequest = httpRequest(`${base}/api/v1/webhooks/streams/${id}?follow=true`, {
    headers: { authorization: `Bearer ${token}` },
    agent: false,
  });
  request.end();
  onTestFinished(() => void request.destroy());
  const [response] = (await once(request, 'response')) as [IncomingMessage];
  const deliveries: StreamedDelivery[] = [];
  let text = '';
  let hasEnded = false;
  // The test or the server closes the connection.
  response.on('error', () => {});
  request.on('error', () => {});
  response.on('close', () => {
    hasEnded = true;
  });
  if (isReading) {
    response.setEncoding('utf8').on('data', (chunk: string) => {
      text += chunk;
      deliveries.splice(0, deliveries.length, ...parseDeliveries(text));
    });
  }
  return {
    response,
    deliveries,
    text: () => text,
    hasEnded: () => hasEnded,
    async arrived(count) {
      const read = () => ({ arrived: deliveries.length, hasEnded });
      const what = `${count} deliveries of a stream`;
      const { arrived } = await poll(what, read, (now) => now.arrived >= count || now.hasEnded);
      if (arrived >= count) return;
      throw new Error(`${what}: status ${response.statusCode} has ended after ${arrived}: ${text}`);
    },
    close: () => request.destroy(),
  };
}

/** Returns the complete deliveries of a text of server-sent events. */
export function parseDeliveries(text: string): StreamedDelivery[] {
  return text
    .split('\n\n')
    .slice(0, -1)
    .filter((block) => block.startsWith('event: delivery\n'))
    .map((block) => {
      const [, id = '', data = ''] = /^event: delivery\nid: (.*)\ndata: (.*)$/.exec(block) ?? [];
      return { id, ...JSON.parse(data) };
    });
}

/** Verifies a delivery as a receiver does. */
export function verifyStreamed(
  { headers, body }: StreamedDelivery,
  secret: string,
  now: number,
): WebhookEvent {
  return verifyWebhook({ body, headers, secret, now: new Date(now) });
}
