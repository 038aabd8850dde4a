import { eventTypes, optInTypes } from '../events/event-types.js';
import { eventSchemas } from '../generated/event-schemas.js';
import type { HandlersOf } from '../http/handlers.js';
import { events } from './event-contract.js';
import { eventExamples, exampleTime, zeros } from './event-examples.js';
import type { eventTypeRoutes } from './event-type-contract.js';

const items = eventTypes.map((type) => ({
  type,
  description: events[type].summary,
  isOptIn: optInTypes.includes(type),
  schema: eventSchemas[type],
  example: { id: zeros, type, createdAt: exampleTime, data: eventExamples[type] },
}));

export const eventTypeHandlers: HandlersOf<typeof eventTypeRoutes> = {
  listEventTypes: async () => ({ status: 200, data: { items } }),
};
