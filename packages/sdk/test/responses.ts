import { HttpResponse } from 'msw';
import { fixtures } from '../src/generated/fixtures.js';
import type { UrlRecord, Usage } from '../src/index.js';

export const usage: Usage = {
  period: '2030-01',
  plan: 'developer',
  meters: {
    api_call: { used: 12 },
    qr_generated: { used: 1_003, included: 1_000, overage: 3, overageUsd: 0.15 },
    webhook_delivery: { used: 7, included: 100_000, overage: 0, overageUsd: 0 },
  },
  links: { used: 3, included: 10_000 },
};

export function urlCreated(id: string): UrlRecord {
  const shortUrl = `https://sho.test/code${id}`;
  return { ...fixtures.createUrl, id, shortCode: `code${id}`, customSlug: null, shortUrl };
}

/** Returns a successful response in the API's envelope. */
export function success(data: object, init: { status?: number; headers?: HeadersInit } = {}) {
  return HttpResponse.json(
    { success: true, data },
    { ...init, headers: { 'x-request-id': 'req-1', ...init.headers } },
  );
}

/** Returns an error response in the API's envelope. */
export function failure(status: number, code: string, headers: Record<string, string> = {}) {
  return HttpResponse.json(
    { success: false, error: { code, message: `It is ${code}.`, requestId: 'req-1' } },
    { status, headers: { 'x-request-id': 'req-1', ...headers } },
  );
}
