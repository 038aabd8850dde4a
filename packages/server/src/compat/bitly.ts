import { z } from 'zod';
import type { ApiError } from '../contract/api-error.js';
import {
  type CompatRoute,
  fieldsOf,
  findDomainId,
  jsonReply,
  readCompatJson,
} from './compat-api.js';

const shortenRequest = z.looseObject({
  long_url: z.string().optional(),
  domain: z.string().nullish(),
  force_new_link: z.boolean().nullish(),
});

/** The hosts of Bitly itself, which clients send by default. */
const bitlyHosts = ['', 'bit.ly', 'bitly.com', 'j.mp'];

const messages: Partial<Record<ApiError['code'], string>> = {
  UNAUTHORIZED: 'FORBIDDEN',
  INSUFFICIENT_SCOPE: 'FORBIDDEN',
  ORGANIZATION_SUSPENDED: 'FORBIDDEN',
  QUOTA_EXCEEDED: 'MONTHLY_LIMIT_EXCEEDED',
  RATE_LIMITED: 'RATE_LIMIT_EXCEEDED',
  INTERNAL: 'INTERNAL_ERROR',
  UNAVAILABLE: 'TEMPORARILY_UNAVAILABLE',
};

/** Bitly's `POST /v4/shorten`. */
export const bitlyRoutes: readonly CompatRoute[] = [
  {
    path: '/v4/shorten',
    methods: ['POST'],
    respond(request, response, options) {
      const token = /^Bearer +(\S+)$/i.exec(request.headers.authorization ?? '')?.[1];
      return options.doAsCaller(token, request, response, async (call) => {
        const given = await readCompatJson(shortenRequest, response);
        const { long_url: targetUrl, force_new_link: isForced } = given;
        const domain = given.domain ?? '';
        const domainId = bitlyHosts.includes(domain) ? null : await findDomainId(options, domain);
        const { status, data } = await call('createUrl', {
          body: { targetUrl, domainId, ifExists: isForced ? null : 'return' },
        });
        const { shortUrl } = data;
        return jsonReply(status, {
          created_at: data.createdAt.replace(/\.\d+Z$/, '+0000'),
          id: shortUrl.replace(/^https?:\/\//, ''),
          link: shortUrl,
          custom_bitlinks: [],
          long_url: data.targetUrl,
          title: data.title ?? '',
          archived: false,
          tags: data.tags,
          deeplinks: [],
          references: { group: `${new URL(shortUrl).origin}/v4/groups/${data.organizationId}` },
        });
      });
    },
    keyField: 'Authorization: Bearer',
    fieldNames: { targetUrl: 'long_url', domainId: 'domain' },
    refuse(error) {
      const isForbidden = messages[error.code] === 'FORBIDDEN';
      return jsonReply(isForbidden ? 403 : error.status, {
        message: messageOf(error),
        resource: 'bitlinks',
        description: error.message,
        errors: fieldsOf(error).map((field) => ({ field, error_code: 'invalid' })),
      });
    },
  },
];

function messageOf(error: ApiError): string {
  const [path] = fieldsOf(error);
  if (path !== undefined && error.status === 400) {
    return path === '' ? 'INVALID_JSON' : `INVALID_ARG_${path.toUpperCase()}`;
  }
  return messages[error.code] ?? error.code;
}
