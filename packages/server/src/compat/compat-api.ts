import type { Request, Response } from 'express';
import type { z } from 'zod';
import type { DoAsCaller } from '../api/mount-routes.js';
import { ApiError, invalidField } from '../contract/api-error.js';
import { parseJson } from '../http/parse-json.js';
import { readBody } from '../http/read-body.js';
import { check } from '../http/read-input.js';
import type { LinkOrigins } from '../network/link-origins.js';
import { escapeText } from '../pages/page.js';

export interface CompatOptions {
  readonly doAsCaller: DoAsCaller;
  readonly origins: () => LinkOrigins;
  /** Returns the id of the custom domain of a host; null for the platform's domain and for unknown hosts. */
  readonly findDomain: (host: string) => Promise<string | null>;
}

export interface CompatReply {
  readonly status: number;
  readonly mediaType: string;
  readonly text: string;
}

/** One path of another service's API. */
export interface CompatRoute {
  readonly path: string;
  readonly methods: readonly ('GET' | 'POST')[];
  readonly respond: (
    request: Request,
    response: Response,
    options: CompatOptions,
  ) => Promise<CompatReply>;
  /** Where clients send the API key, as the service names it. */
  readonly keyField: string;
  /** The fields that have another name in our API, by that name. */
  readonly fieldNames: Readonly<Record<string, string>>;
  /** Returns an error, with the names of the service, in the form that its clients read. */
  readonly refuse: (error: ApiError, request: Request) => CompatReply;
}

// A target may have 8 KB, which percent-encoding makes three times as long.
const maxBodyBytes = 32 * 1024;

/** Reads the JSON body of a request. Throws VALIDATION_FAILED for another one. */
export async function readCompatJson<Schema extends z.ZodType>(
  schema: Schema,
  response: Response,
): Promise<z.output<Schema>> {
  return check(schema, parseJson(await readBody(response, maxBodyBytes))) as z.output<Schema>;
}

/**
 * Returns the id of the custom domain of a host, or null for the platform's domain. Returns another host as
 * it is, which the API refuses by its field.
 */
export async function findDomainId(
  { origins, findDomain }: CompatOptions,
  host: string,
): Promise<string | null> {
  if (host === origins().shortDomain) return null;
  return (await findDomain(host)) ?? host;
}

/** Reads the form of a POST: `application/x-www-form-urlencoded` or `multipart/form-data`. */
export async function readForm(response: Response): Promise<Readonly<Record<string, unknown>>> {
  const { req: request } = response;
  if (request.method !== 'POST') return {};
  const bytes = await readBody(response, maxBodyBytes);
  if (bytes.length === 0) return {};
  const headers = { 'content-type': request.get('content-type') ?? '' };
  try {
    return Object.fromEntries(await new globalThis.Response(bytes, { headers }).formData());
  } catch {
    throw invalidField('', 'must be a form');
  }
}

export function jsonReply(
  status: number,
  fields: object,
  mediaType = 'application/json',
): CompatReply {
  return { status, mediaType, text: JSON.stringify(fields) };
}

/** Returns an error with the words of another service, whose documents its clients know. */
export function withNamesOf(
  { keyField, fieldNames }: Pick<CompatRoute, 'keyField' | 'fieldNames'>,
  error: ApiError,
): ApiError {
  const { code, headers, details, cause } = error;
  const rename = (path: string) => fieldNames[path] ?? path;
  // A message about a field begins with its name.
  const message =
    code === 'UNAUTHORIZED'
      ? `${keyField} is missing, unknown or expired: send an API key of this server itself, not a hash of it`
      : error.message.replace(/^\w+/, rename);
  const renamed = details.map((detail) => ({ ...detail, path: rename(detail.path) }));
  return new ApiError(code, message, { headers, cause, details: renamed });
}

/** Returns the fields that an error is about. */
export function fieldsOf({ details }: ApiError): readonly string[] {
  return details.map(({ path }) => path);
}

export function toXml(fields: object): string {
  const format = (value: unknown, name: string): string => {
    const isObject = typeof value === 'object' && value !== null;
    const content = isObject
      ? Object.entries(value)
          .map(([key, each]) => format(each, key))
          .join('')
      : escapeText(String(value));
    return `<${name}>${content}</${name}>`;
  };
  return `<?xml version="1.0" encoding="UTF-8"?>\n${format(fields, 'result')}\n`;
}
