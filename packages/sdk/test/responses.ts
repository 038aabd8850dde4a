import { HttpResponse } from 'msw';
import type { UrlCreated, Usage } from '../src/index.js';

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

export function urlCreated(id: string): UrlCreated {
  return {
    id,
    shortCode: `code${id}`,
    targetUrl: 'https://example.com',
    customSlug: null,
    shortUrl: `https://sho.test/code${id}`,
    organizationId: '01890000-0000-7000-8000-000000000000',
    createdAt: '2030-01-01T00:00:00.000Z',
  };
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
