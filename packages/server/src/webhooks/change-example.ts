import { shorten, validationError } from '../contract/api-error.js';
import { parseInput } from '../contract/parse-input.js';
import type { EventType } from '../events/event-types.js';
import { type EventData, events } from './event-contract.js';
import { eventExamples } from './event-examples.js';

const path = /^[^.[\]]+(?:\.[^.[\]]+|\[\d{1,4}\])*$/;
const step = /[^.[\]]+/g;
const maxBytes = 64 * 1024;

type Container = Record<string, unknown>;

/**
 * Returns the example of an event type with other values: `{ "visits[0].country": "FR" }`. Throws
 * VALIDATION_FAILED unless the result is valid data of the type.
 */
export function changeExample<Type extends EventType>(
  type: Type,
  changes: Readonly<Record<string, unknown>>,
): EventData<Type> {
  const data: unknown = structuredClone(eventExamples[type]);
  for (const [name, value] of Object.entries(changes)) {
    const steps = path.test(name) ? (name.match(step) ?? []) : [];
    const last = steps.pop();
    let parent: unknown = data;
    for (const each of steps) parent = isContainer(parent, each) ? parent[each] : undefined;
    if (last === undefined || !isSettable(parent, last)) {
      refuse(name, `is no field of the data of ${type}`);
    }
    // As everywhere in requests, an id may be a number.
    const isText = typeof parent[last] === 'string' && typeof value === 'number';
    parent[last] = isText ? String(value) : value;
  }
  const parsed = parseInput(events[type].data, data, ['set']);
  if (!parsed.ok) throw validationError(parsed.details, parsed.count);
  const unknown = findUnknown(data, parsed.value, '');
  if (unknown !== undefined) refuse(unknown, `is no field of the data of ${type}`);
  if (Buffer.byteLength(JSON.stringify(data)) > maxBytes) {
    throw validationError([
      { path: 'set', message: `must give data of at most ${maxBytes} bytes` },
    ]);
  }
  return data as EventData<Type>;
}

function refuse(name: string, message: string): never {
  throw validationError([{ path: `set.${shorten(name)}`, message }]);
}

function isContainer(value: unknown, name: string): value is Container {
  return typeof value === 'object' && value !== null && Object.hasOwn(value, name);
}

function isSettable(parent: unknown, name: string): parent is Container {
  if (Array.isArray(parent)) return Object.hasOwn(parent, name);
  return typeof parent === 'object' && parent !== null && name !== '__proto__';
}

/** Returns the path of a field that parsing has dropped, because the schema does not have it. */
function findUnknown(value: unknown, parsed: unknown, at: string): string | undefined {
  if (typeof value !== 'object' || value === null) return undefined;
  for (const [name, field] of Object.entries(value)) {
    const path = Array.isArray(value) ? `${at}[${name}]` : `${at}${at && '.'}${name}`;
    const inner = isContainer(parsed, name) ? parsed[name] : undefined;
    if (inner === undefined && field !== undefined) return path;
    const found = findUnknown(field, inner, path);
    if (found !== undefined) return found;
  }
  return undefined;
}
