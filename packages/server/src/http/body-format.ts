import type { IncomingMessage } from 'node:http';
import { ApiError, invalidField, shorten } from '../contract/api-error.js';

export type BodyFormat = 'json' | 'form';

const mediaTypes = {
  json: 'application/json',
  form: 'application/x-www-form-urlencoded',
} as const satisfies Record<BodyFormat, string>;

/** Returns the format that a Content-Type names; throws UNSUPPORTED_MEDIA_TYPE for any other. */
export function bodyFormatOf(
  { 'content-type': contentType = '' }: IncomingMessage['headers'],
  formats: readonly BodyFormat[],
): BodyFormat {
  const mediaType = contentType.replace(/;.*/s, '').trim().toLowerCase();
  const format = formats.find((each) =>
    each === 'json'
      ? /^application\/(?:[\w.-]+\+)?json$/.test(mediaType)
      : mediaType === mediaTypes.form,
  );
  if (!format) {
    const expected = formats.map((each) => mediaTypes[each]).join(' or ');
    const given = mediaType ? `, not ${shorten(mediaType)}` : ': set Content-Type';
    throw new ApiError('UNSUPPORTED_MEDIA_TYPE', `The body must be ${expected}${given}`);
  }
  const [, charset = 'utf-8'] = /;\s*charset\s*=\s*"?([^\s";]*)/i.exec(contentType) ?? [];
  if (!/^utf-?8$/i.test(charset)) {
    throw new ApiError(
      'UNSUPPORTED_MEDIA_TYPE',
      `Content-Type charset "${shorten(charset)}": must be utf-8`,
    );
  }
  return format;
}

const maxFormFields = 100;

/** Parses a form. A repeated field becomes an array, which every schema refuses. */
export function parseForm(bytes: Buffer): Record<string, unknown> {
  const parameters = new URLSearchParams(bytes.toString('utf8'));
  if (parameters.size > maxFormFields) {
    throw invalidField('', `must have at most ${maxFormFields} fields`);
  }
  return Object.fromEntries(
    [...parameters.keys()].map((name) => {
      const values = parameters.getAll(name);
      return [name, values.length === 1 ? values[0] : values];
    }),
  );
}
