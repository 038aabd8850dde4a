import { z } from 'zod';
import { defineRoute } from '../contract/define-route.js';

const tag = 'Redirects';

// Twice that of a stored password, because accents may be characters of their own here.
const maxTypedPassword = 512;

const password = z
  .string()
  .min(1)
  .max(maxTypedPassword)
  .meta({ format: 'password', example: 'open sesame' });
export const unlockRequest = z.strictObject({ password }).meta({ id: 'UnlockRequest' });
const ofFirstRequest = (header: string) =>
  z.string().optional().describe(`The \`${header}\` of the request for the form, for the reports.`);
export const unlockForm = z
  .object({
    password,
    referrer: ofFirstRequest('Referer'),
    fetchSite: ofFirstRequest('Sec-Fetch-Site'),
  })
  .meta({ id: 'UnlockForm' });

const params = z.strictObject({
  code: z
    .string()
    .regex(/^[A-Za-z0-9_~-][A-Za-z0-9._~-]{0,99}$/)
    .meta({
      param: { id: 'Code' },
      description:
        'A short code or a custom slug. An imported code may also have several segments.',
      example: 'aB3xY9q',
    }),
});
const location = { Location: 'The target with the UTM parameters of the link set.' };

export const redirectRoutes = [
  defineRoute('followLink', 'GET /{code}', {
    tag,
    summary: 'Follow a short link',
    description:
      'Redirects with the status of the link. A link with a password returns a form instead. ' +
      'Programs that preview links get a page if the link has a preview. ' +
      'With a plus at its end, the address shows where the link leads, if the link has an info page. ' +
      'HEAD returns the same headers without a body. Errors are pages, or JSON for `Accept: application/json`.',
    access: 'public',
    isForVisitors: true,
    params,
    responses: {
      200: {
        description: 'The form that asks for the password, or what link previews show',
        mediaType: 'text/html',
      },
      301: { description: 'Moved; browsers cache it for 90 seconds', headers: location },
      302: { description: 'Found', headers: location },
      307: { description: 'Temporary redirect', headers: location },
      308: { description: 'Permanent; browsers cache it for 90 seconds', headers: location },
    },
    errors: ['UNAUTHORIZED', 'GONE', 'TAKEN_DOWN'],
  }),
  defineRoute('unlockLink', 'POST /{code}', {
    tag,
    summary: 'Follow a short link that has a password',
    access: 'public',
    isForVisitors: true,
    params,
    body: unlockRequest,
    form: unlockForm,
    responses: { 303: { description: 'The password is correct', headers: location } },
    errors: ['UNAUTHORIZED', 'METHOD_NOT_ALLOWED', 'GONE', 'RATE_LIMITED', 'TAKEN_DOWN'],
  }),
] as const;
