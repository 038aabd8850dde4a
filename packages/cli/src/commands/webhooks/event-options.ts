import { nearestName } from '@shorty/import';
import type { EventType, SubscribedEventType } from '@shorty/sdk';
import { type Command, Option } from 'commander';
import { UsageError } from '../../cli-error.js';
import { collect } from '../../command.js';
import { eventTypes } from '../../webhooks/event-types.js';

/** The options that select the event types of a webhook. */
export interface EventOptions {
  readonly event?: readonly string[];
  /** Another name of `event`, which `webhooks listen` has. */
  readonly events?: readonly string[];
  readonly allEvents?: boolean;
}

export function addEventOptions(command: Command): Command {
  return command
    .addOption(
      new Option('--event <type>', 'event type to deliver; repeatable, or separated by commas')
        .argParser(collect)
        .conflicts('allEvents'),
    )
    .addOption(
      new Option('--events <types>', 'same as --event')
        .argParser(collect)
        .conflicts('allEvents')
        .hideHelp(),
    )
    .option('--all-events', 'deliver every type but url.clicked, also future ones')
    .addHelpText('after', `\nEvent types:\n${eventTypes.map((type) => `  ${type}`).join('\n')}`);
}

/** Subscribes to all event types, including future ones. */
const everyType: SubscribedEventType = '*';

/** Returns the selected event types, or undefined when no option was set. */
export function readEvents(
  { event = [], events = [], allEvents }: EventOptions,
  flag = '--event',
): [SubscribedEventType, ...SubscribedEventType[]] | undefined {
  const selected: SubscribedEventType[] = [...event, ...events]
    .flatMap((text) => text.split(','))
    .map((text) => text.trim())
    .filter((text) => text !== '')
    .map((text) => (text === everyType ? everyType : checkEventType(text, flag)));
  const [first, ...others] = allEvents ? [everyType] : selected;
  return first && [first, ...others];
}

export function checkEventType(text: string, flag: string): EventType {
  const type = eventTypes.find((known) => known === text);
  if (type) return type;
  throw unknownEventType(`${flag} ${text}`, eventTypes);
}

export function unknownEventType(value: string, known: readonly EventType[]): UsageError {
  const near = nearestName(value.split(' ').at(-1) ?? '', known);
  return new UsageError(
    `${value}: unknown event type`,
    near ? `did you mean ${near}?` : `types: ${known.join(', ')}`,
  );
}
