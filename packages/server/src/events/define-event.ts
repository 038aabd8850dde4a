import type { z } from 'zod';
import type { EventType } from './event-types.js';

/** A type of event: the schema of its `data`, and its summary in OpenAPI. */
export interface EventDefinition<
  Type extends EventType = EventType,
  Data extends z.ZodObject = z.ZodObject,
> {
  readonly type: Type;
  readonly data: Data;
  readonly summary: string;
}

export function defineEvent<const Type extends EventType, Data extends z.ZodObject>(
  event: EventDefinition<Type, Data>,
): EventDefinition<Type, Data> {
  return event;
}

export type DataOfEvent<Event extends EventDefinition> = z.input<Event['data']>;
