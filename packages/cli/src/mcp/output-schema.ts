import { z } from 'zod';
import { reportRoutes } from '../../../server/src/analytics/reports/report-contract.js';
import { domainRoutes } from '../../../server/src/domains/domain-contract.js';
import { meRoutes } from '../../../server/src/organizations/me-contract.js';
import { usageRoutes } from '../../../server/src/organizations/usage-contract.js';
import { qrRoutes } from '../../../server/src/qr/qr-contract.js';
import { urlRoutes } from '../../../server/src/urls/url-contract.js';

const routes = [
  ...urlRoutes,
  ...domainRoutes,
  ...qrRoutes,
  ...reportRoutes,
  ...meRoutes,
  ...usageRoutes,
];

/** Returns the schema of the data that an operation of the API responds with. */
export function dataOf(operationId: (typeof routes)[number]['operationId']): z.ZodObject {
  const { responses } = routes.find((route) => route.operationId === operationId) ?? {};
  for (const response of Object.values(responses ?? {})) {
    if ('data' in response && response.data instanceof z.ZodObject) return response.data;
  }
  throw new Error(`${operationId} has no object as its data`);
}

/** A page of a list. `nextAfter` continues it. */
export function pageOf<Name extends string>(name: Name, item: z.ZodType): z.ZodObject {
  return z.object({ total: z.int(), [name]: z.array(item), nextAfter: z.string().nullable() });
}

/**
 * Returns the JSON schema of a result, which clients validate. Results may have more fields, because
 * the server may be newer than this command.
 */
export function outputSchemaOf(output: z.ZodType): JsonObjectSchema {
  const schema = z.toJSONSchema(output, {
    target: 'draft-7',
    // Without the texts and references of the OpenAPI document.
    metadata: z.registry(),
    override: ({ jsonSchema }) => {
      if (jsonSchema.additionalProperties === false) delete jsonSchema.additionalProperties;
    },
  });
  return { ...schema, type: 'object' } as JsonObjectSchema;
}

/** The protocol requires an object at the root. */
type JsonObjectSchema = { readonly type: 'object'; readonly [keyword: string]: unknown };
