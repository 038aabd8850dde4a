import type { paths } from './generated/api.js';
import type { ChangeOptions } from './options.js';

export type Method = 'GET' | 'POST' | 'PUT' | 'PATCH' | 'DELETE';

// The contract describes instants as strings. A Date becomes such a string.
type InstantField =
  | 'activatesAt'
  | 'expiresAt'
  | 'since'
  | 'until'
  | 'createdSince'
  | 'createdUntil'
  | 'importedCreatedAt'
  | 'at'
  | 'before';

// `after` is the position in a list, except in the condition of a rule.
type InstantFieldOf<T> = InstantField | ('before' extends keyof T ? 'after' : never);

// In a query, the contract describes the id of a link as a string.
type WithNumbers<T> = T extends readonly (infer Item)[]
  ? readonly WithNumbers<Item>[]
  : T extends string
    ? string | number
    : T;

/**
 * A request of the contract, with a Date allowed for each instant, undefined for a missing field, and
 * readonly arrays.
 */
export type WithDates<T> = T extends readonly (infer Item)[]
  ? readonly WithDates<Item>[]
  : T extends object
    ? {
        [Name in keyof T]:
          | (Name extends InstantFieldOf<T>
              ? T[Name] | Date
              : Name extends 'urlId'
                ? WithNumbers<T[Name]>
                : WithDates<T[Name]>)
          | (Record<never, never> extends Pick<T, Name> ? undefined : never);
      }
    : T;

type ParamsOf<Operation> = Operation extends { parameters: { path: infer Params extends object } }
  ? { readonly params: { readonly [Name in keyof Params]: string | number } }
  : { readonly params?: undefined };

type QueryInputOf<Operation> = Operation extends {
  parameters: { query: infer Query extends object };
}
  ? { readonly query: WithDates<Query> }
  : Operation extends { parameters: { query?: infer Query } }
    ? { readonly query?: WithDates<Query> | undefined }
    : never;

type JsonOf<Content> = Content extends { content: { 'application/json': infer Body } }
  ? WithDates<Body>
  : never;

type BodyOf<Operation> = Operation extends { requestBody: infer Body extends object }
  ? { readonly body: JsonOf<Body> }
  : Operation extends { requestBody?: infer Body }
    ? { readonly body?: JsonOf<Body> | undefined }
    : never;

type InputOf<Operation> = ParamsOf<Operation> & QueryInputOf<Operation> & BodyOf<Operation>;

type DataOf<Operation> = Operation extends { responses: infer Responses }
  ? Responses[Extract<keyof Responses, 200 | 201 | 202 | 207>] extends infer Response
    ? Response extends { content: { 'application/json': infer Envelope } }
      ? Envelope extends { success: true; data: infer Data }
        ? Data
        : never
      : never
    : never
  : never;

/** The method and the path of an operation of the contract, such as `GET /api/v1/urls/{id}`. */
export type Route = {
  [Path in keyof paths]: {
    [M in Method]: paths[Path] extends Record<Lowercase<M>, object> ? `${M} ${Path}` : never;
  }[Method];
}[keyof paths];

type OperationAt<R extends Route> =
  R extends `${infer M extends Method} ${infer Path extends keyof paths}`
    ? paths[Path][Lowercase<M>]
    : never;

/** Parameters of the path, query and body of an operation. */
export type CallInput<R extends Route> = InputOf<OperationAt<R>>;

/** The data of an operation's response. */
export type CallData<R extends Route> = DataOf<OperationAt<R>>;

/** The query of an operation. */
export type QueryOf<R extends Route> = NonNullable<CallInput<R>['query']>;

/** Parameters of the path, query and body of any request. */
export interface RequestInput {
  /** The values of the `{names}` in the path. */
  readonly params?: Readonly<Record<string, string | number>> | undefined;
  readonly query?: object | undefined;
  /** Sent as JSON. */
  readonly body?: unknown;
}

/** The paths of the contract that have an operation with the method, such as `/api/v1/urls/{id}`. */
export type PathOf<M extends Method> =
  Extract<Route, `${M} /api/v1/${string}`> extends `${string} ${infer Path}` ? Path : never;

/** The input of a request, typed if its path is one of the contract. */
export type RequestInputOf<
  M extends Method,
  Path extends string,
> = `${M} ${Path}` extends infer R extends Route ? CallInput<R> : RequestInput;

/** The data of a response, typed if the path is one of the contract. */
export type RequestDataOf<
  M extends Method,
  Path extends string,
> = `${M} ${Path}` extends infer R extends Route ? CallData<R> : unknown;

/** The arguments of a request after its path. The input may be left out if nothing in it is required. */
export type RequestArguments<Input> =
  Record<never, never> extends Input
    ? [input?: Input, options?: ChangeOptions]
    : [input: Input, options?: ChangeOptions];
