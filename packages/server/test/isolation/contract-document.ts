import { readContract } from '../../../../scripts/read-contract.mjs';
import { renderOpenApi } from '../../scripts/render-openapi.js';
import type { Route } from '../../src/contract/define-route.js';

/** The part of JSON Schema that the contract's document uses. */
export interface Schema {
  readonly $ref?: string;
  readonly type?: string | readonly string[];
  readonly properties?: Readonly<Record<string, Schema>>;
  readonly required?: readonly string[];
  readonly items?: Schema;
  readonly minItems?: number;
  readonly minimum?: number;
  readonly anyOf?: readonly Schema[];
  readonly oneOf?: readonly Schema[];
  readonly enum?: readonly unknown[];
  readonly const?: unknown;
  readonly default?: unknown;
  readonly example?: unknown;
}

interface Parameter {
  readonly in: string;
  readonly name: string;
  readonly required?: boolean;
  readonly schema: Schema;
}

interface Operation {
  readonly parameters?: readonly Parameter[];
  readonly requestBody?: {
    readonly required: boolean;
    readonly content: Readonly<Record<string, { readonly schema: Schema }>>;
  };
}

interface Document {
  readonly paths: Readonly<Record<string, Readonly<Record<string, Operation>>>>;
  readonly components: { readonly schemas: Readonly<Record<string, Schema>> };
}

const document = readContract(renderOpenApi()) as Document;

/** Returns the query and the body that openapi.yaml defines for a route. */
export function inputOf({ method, path }: Route) {
  const operation = document.paths[path]?.[method];
  const body = operation?.requestBody;
  return {
    query: (operation?.parameters ?? []).filter((parameter) => parameter.in === 'query'),
    body: body?.content['application/json']?.schema,
    needsBody: body?.required ?? false,
  };
}

/** Resolves a reference, or a choice with null, to its schema. */
export function resolve(schema: Schema): Schema {
  if (schema.$ref !== undefined) {
    const name = schema.$ref.replace('#/components/schemas/', '');
    const found = document.components.schemas[name];
    if (!found) throw new Error(`openapi.yaml has no schema ${name}`);
    return resolve(found);
  }
  const choice = (schema.anyOf ?? schema.oneOf)?.find(({ type }) => type !== 'null');
  return choice ? { ...resolve(choice), ...withoutChoices(schema) } : schema;
}

function withoutChoices({ anyOf: _, oneOf: __, type: ___, ...rest }: Schema): Schema {
  return rest;
}
