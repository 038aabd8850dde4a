import { nearestName } from '@shorty/import';
import type { EventType, SubscribedEventType } from '@shorty/sdk';
import { UsageError } from '../cli-error.js';
import { collect, type OptionRows } from '../command.js';

// A record, so that compilation fails when the contract adds or removes an event type.
const known: Readonly<Record<EventType, true>> = {
  'url.created': true,
  'url.updated': true,
  'url.deleted': true,
  'url.restored': true,
  'url.clicked': true,
  'url.click_threshold': true,
  'url.expired': true,
  'qr.created': true,
  'qr.scan_threshold': true,
  'qr.deleted': true,
  'domain.verified': true,
  'webhook.disabled': true,
};

export const eventTypes = Object.keys(known) as readonly EventType[];

export const eventTypesHelp = `Event types:\n${eventTypes.map((type) => `  ${type}`).join('\n')}`;

/** The values of the options that select the event types of a webhook. */
export interface EventOptions {
  readonly event?: readonly string[];
  readonly allEvents?: boolean;
}

export const eventOptions: OptionRows = {
  '--event <type>': {
    text: 'event type to deliver; repeatable, or separated by commas',
    parse: collect,
    conflicts: 'allEvents',
  },
  '--all-events': 'deliver every type but url.clicked, also future ones',
};

/** Subscribes to all event types, including future ones. */
const everyType: SubscribedEventType = '*';

/** Returns the selected event types, or undefined when no option was set. */
export function readEvents(
  { event = [], allEvents }: EventOptions,
  flag = '--event',
): [SubscribedEventType, ...SubscribedEventType[]] | undefined {
  const selected: SubscribedEventType[] = event
    .flatMap((text) => text.split(','))
    .map((text) => text.trim())
    .filter((text) => text !== '')
    .map((text) => (text === everyType ? everyType : checkEventType(text, flag)));
  const [first, ...others] = allEvents ? [everyType] : selected;
  return first && [first, ...others];
}

export function checkEventType(text: string, flag: string): EventType {
  const type = eventTypes.find((each) => each === text);
  if (type) return type;
  throw unknownEventType(`${flag} ${text}`, eventTypes);
}

export function unknownEventType(value: string, types: readonly EventType[]): UsageError {
  const near = nearestName(value.split(' ').at(-1) ?? '', types);
  return new UsageError(
    `${value}: unknown event type`,
    near ? `did you mean ${near}?` : `types: ${types.join(', ')}`,
  );
}
