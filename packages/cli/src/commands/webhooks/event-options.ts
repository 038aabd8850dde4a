import type { EventType } from '@shorty/sdk';
import { type Command, Option } from 'commander';
import { UsageError } from '../../cli-error.js';
import { collect } from '../../command.js';
import { nearestName } from '../../import/nearest-name.js';
import { eventTypes } from '../../webhooks/event-types.js';

/** The options that select the event types of a webhook. */
export interface EventOptions {
  readonly event?: readonly string[];
  readonly allEvents?: boolean;
}

export function addEventOptions(command: Command): Command {
  return command
    .addOption(
      new Option('--event <type>', 'event type to deliver; repeatable, or separated by commas')
        .argParser(collect)
        .conflicts('allEvents'),
    )
    .option('--all-events', 'deliver every event type except url.clicked')
    .addHelpText(
      'after',
      `\nEvent types: ${eventTypes.slice(0, 4).join(', ')},\n${eventTypes.slice(4).join(', ')}`,
    );
}

/** Returns the selected event types, or undefined when no option was set. */
export function readEvents({
  event = [],
  allEvents,
}: EventOptions): [EventType, ...EventType[]] | undefined {
  const selected = event
    .flatMap((text) => text.split(','))
    .map((text) => text.trim())
    .filter((text) => text !== '')
    .map((text) => checkEventType(text, '--event'));
  // A webhook gets many clicks, so it must name them.
  const all = eventTypes.filter((type) => type !== 'url.clicked');
  const [first, ...others] = allEvents ? all : selected;
  return first && [first, ...others];
}

export function checkEventType(text: string, flag: string): EventType {
  const type = eventTypes.find((known) => known === text);
  if (type) return type;
  const near = nearestName(text, eventTypes);
  throw new UsageError(
    `${flag} ${text}: unknown event type`,
    near ? `did you mean ${near}?` : `types: ${eventTypes.join(', ')}`,
  );
}
