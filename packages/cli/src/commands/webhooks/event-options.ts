import type { EventType } from '@shorty/sdk';
import { type Command, Option } from 'commander';
import { UsageError } from '../../cli-error.js';
import { gather } from '../../command.js';
import { nearestName } from '../../import/nearest-name.js';
import { eventTypes } from '../../webhooks/event-types.js';

/** Flags of the commands that say what a webhook is told of. */
export interface EventOptions {
  readonly event?: readonly string[];
  readonly allEvents?: boolean;
}

export function addEventOptions(command: Command): Command {
  return command
    .addOption(
      new Option('--event <type>', 'what to tell of; may be given several times, or with commas')
        .argParser(gather)
        .conflicts('allEvents'),
    )
    .option('--all-events', 'tell of every type of event')
    .addHelpText(
      'after',
      `\nEvent types: ${eventTypes.slice(0, 4).join(', ')},\n${eventTypes.slice(4).join(', ')}`,
    );
}

/** The types that were named; undefined where none was. */
export function readEvents({ event, allEvents }: EventOptions): EventType[] | undefined {
  if (allEvents) return [...eventTypes];
  return event
    ?.flatMap((text) => text.split(','))
    .map((text) => text.trim())
    .filter((text) => text !== '')
    .map((text) => checkEventType(text, '--event'));
}

export function checkEventType(text: string, flag: string): EventType {
  const type = eventTypes.find((known) => known === text);
  if (type) return type;
  const near = nearestName(text, eventTypes);
  throw new UsageError(
    `${flag} ${text}: there is no such event type`,
    near ? `did you mean ${near}?` : `types: ${eventTypes.join(', ')}`,
  );
}
