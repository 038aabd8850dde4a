interface Response {
  readonly $ref?: string;
  readonly description: string;
  readonly content?: Readonly<Record<string, { readonly schema?: { readonly $ref?: string } }>>;
}

interface Operation {
  readonly responses: Record<string, Response>;
}

interface Document {
  readonly paths?: Readonly<Record<string, unknown>>;
  readonly components?: { readonly responses?: object };
}

/**
 * Describes a response that several operations have once, under the name of its schema. Of several
 * descriptions, the shortest one is general enough for all.
 */
export function shareResponses(document: Document): void {
  const shared = document.components?.responses as Record<string, Response>;
  const groups = new Map<string, { operation: Operation; status: string; response: Response }[]>();
  for (const path of Object.values(document.paths ?? {})) {
    for (const operation of Object.values(path as Readonly<Record<string, Operation>>)) {
      for (const [status, response] of Object.entries(operation.responses)) {
        if (response.$ref) continue;
        const key = JSON.stringify({ ...response, description: undefined });
        const group = groups.get(key) ?? [];
        groups.set(key, group);
        group.push({ operation, status, response });
      }
    }
  }
  for (const group of groups.values()) {
    const [response] = group
      .map((each) => each.response)
      .sort((a, b) => a.description.length - b.description.length);
    const name = response?.content?.['application/json']?.schema?.$ref?.split('/').at(-1);
    if (group.length < 2 || !response || !name || name in shared) continue;
    shared[name] = response;
    for (const { operation, status } of group) {
      operation.responses[status] = {
        $ref: `#/components/responses/${name}`,
      } as Response;
    }
  }
}
