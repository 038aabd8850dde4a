import type { EventTypeDetails } from '@shorty/sdk';
import { unknownName } from '../cli-error.js';
import type { Context } from '../context.js';

export const eventTypesHelp = 'shorty webhooks event-types lists the event types.';

/** Returns the event types of an option that can be repeated, each value of which may have several. */
export function splitTypes(texts: readonly string[] = []): string[] {
  const types = texts.flatMap((text) => text.split(',')).map((text) => text.trim());
  return types.filter((text) => text !== '');
}

/** Returns a function that finds an event type of the server. It throws a UsageError that suggests the nearest one. */
export async function eventTypeFinder(
  context: Context,
): Promise<(type: string) => EventTypeDetails> {
  const client = await context.client();
  const { items } = await client.webhooks.eventTypes(context.request);
  return (type) => {
    const found = items.find((item) => item.type === type);
    if (found) return found;
    const known = items.map((item) => item.type);
    throw unknownName(`${type}: unknown event type`, type, known, 'types');
  };
}
