import type { IncomingMessage, ServerResponse } from 'node:http';
import { validationError } from '../contract/api-error.js';
import { parseInput } from '../contract/parse-input.js';
import { bodyFormatOf, parseForm } from '../http/body-format.js';
import { parseJson } from '../http/parse-json.js';
import { maxPublicBodyBytes, readBody } from '../http/read-body.js';
import { unlockForm, unlockRequest } from './redirect-contract.js';

/** Returns the password of a form or JSON body. Throws an ApiError when there is none. */
export async function readPassword(
  request: IncomingMessage,
  response: ServerResponse,
  timeoutMs: number,
): Promise<string> {
  const format = bodyFormatOf(request.headers, ['form', 'json']);
  const bytes = await readBody(request, response, { maxBytes: maxPublicBodyBytes, timeoutMs });
  const parsed =
    format === 'json'
      ? parseInput(unlockRequest, await parseJson(bytes))
      : parseInput(unlockForm, parseForm(bytes));
  if (!parsed.ok) throw validationError(parsed.details, parsed.count);
  return parsed.value.password;
}
