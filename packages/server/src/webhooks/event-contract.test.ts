import type { WebhookEventData } from '@shorty/webhook-verifier';
import { describe, expect, it } from 'vitest';
import { type EventType, eventTypes } from '../events/event-types.js';
import { type EventData, eventBodies } from './event-contract.js';
import { eventExamples } from './event-examples.js';

// Fails to compile when the contract's data is not what the verifier promises receivers.
const asReceived: WebhookEventData = eventExamples;
const asSent: { readonly [Type in EventType]: EventData<Type> } = eventExamples;

describe('events', () => {
  it('have all types, each once', () => {
    expect(new Set(eventTypes).size).toBe(eventTypes.length);
    expect(Object.keys(asReceived).sort()).toEqual([...eventTypes].sort());
  });

  it.each(eventBodies)('the example of $type fits its schema', ({ type, body }) => {
    const event = {
      id: '0198c0de-0000-7000-8000-0000000000aa',
      type,
      createdAt: '2030-01-01T00:00:00.000Z',
      data: asSent[type],
    };
    expect(body.parse(event)).toEqual(event);
  });
});
