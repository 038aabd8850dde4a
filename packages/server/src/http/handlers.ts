import type { IncomingHttpHeaders } from 'node:http';
import type { z } from 'zod';
import type { Caller } from '../contract/caller.js';
import type { Route } from '../contract/define-route.js';
import type { JsonText } from '../contract/json-text.js';
import {
  type IdempotentResult,
  requireFound,
  type WriteContext,
} from '../idempotency/with-idempotency-key.js';

type Output<S> = S extends z.ZodType ? z.output<S> : undefined;

type DataOf<R extends Route> = {
  [Status in keyof R['responses']]: R['responses'][Status] extends { data: infer S }
    ? S extends z.ZodType
      ? z.input<S>
      : never
    : never;
}[keyof R['responses']];

// A request has either a body or a form.
type BodyInput<R extends Route> = R extends { form: z.ZodType }
  ? { body: Output<R['body']>; form?: undefined } | { body?: undefined; form: Output<R['form']> }
  : R extends { bodyOptional: true }
    ? { body: Output<R['body']> | undefined }
    : { body: Output<R['body']> };

/** The validated input of a handler, and its caller. */
export type HandlerInput<R extends Route> = BodyInput<R> & {
  readonly params: Output<R['params']>;
  readonly query: Output<R['query']>;
  readonly caller: R['access'] extends 'public' | 'operator' ? undefined : Caller;
  readonly context: WriteContext;
  readonly headers: IncomingHttpHeaders;
  /** The client's address; behind a trusted proxy, the address that the proxy forwards. */
  readonly address: string;
};

export type Reply<Data> = {
  readonly status: number;
  readonly headers?: Readonly<Record<string, string>>;
} & (
  | { readonly data: Data; readonly replayed?: boolean }
  | { readonly json: JsonText<Data> }
  | { readonly body: unknown }
  | { readonly text: string; readonly mediaType: string }
  | { readonly bytes: Buffer; readonly mediaType: string }
);

/** Returns the response to the change of a record. Throws NOT_FOUND if there was no such record. */
export async function replyWithChange<Row, Data>(
  writing: Promise<IdempotentResult<Row | null>>,
  kind: string,
  id: string,
  present: (row: Row) => Data,
) {
  const { result, replayed } = requireFound(await writing, kind, id);
  return { status: 200, replayed, data: present(result) };
}

/** One handler for each operationId, without the routes for visitors. */
export type HandlersOf<Routes extends readonly Route[]> = {
  [R in Exclude<Routes[number], { isForVisitors: true }> as R['operationId']]: (
    input: HandlerInput<R>,
  ) => Promise<Reply<DataOf<R>>>;
};
