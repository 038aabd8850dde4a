import type { IncomingMessage } from 'node:http';
import { ApiError, validationError } from '../contract/api-error.js';
import { parseInput } from '../contract/parse-input.js';
import { unlockForm, unlockRequest } from './redirect-contract.js';

const maxBytes = 4096;

/** The password that a form or a JSON body carries; throws an ApiError that says what is wrong. */
export async function readPassword(request: IncomingMessage): Promise<string> {
  const mediaType = (request.headers['content-type'] ?? '').split(';')[0]?.trim().toLowerCase();
  const isJson = mediaType === 'application/json';
  if (!isJson && mediaType !== 'application/x-www-form-urlencoded') {
    request.resume();
    throw new ApiError('UNSUPPORTED_MEDIA_TYPE', 'Send the password as a form or as JSON');
  }
  const text = await readText(request);
  const parsed = isJson
    ? parseInput(unlockRequest, parseJson(text))
    : parseInput(unlockForm, Object.fromEntries(new URLSearchParams(text)));
  if (!parsed.ok) throw validationError(parsed.details);
  return parsed.value.password;
}

async function readText(request: IncomingMessage): Promise<string> {
  const chunks: Buffer[] = [];
  let length = 0;
  for await (const chunk of request as AsyncIterable<Buffer>) {
    length += chunk.length;
    // The rest is still read, so that the sender sees the answer.
    if (length <= maxBytes) chunks.push(chunk);
  }
  if (length > maxBytes) {
    throw new ApiError('PAYLOAD_TOO_LARGE', `The body must be at most ${maxBytes} bytes`);
  }
  return Buffer.concat(chunks).toString('utf8');
}

function parseJson(text: string): unknown {
  try {
    return JSON.parse(text);
  } catch (error) {
    throw validationError([
      { path: '', message: `must be valid JSON: ${(error as Error).message}` },
    ]);
  }
}
