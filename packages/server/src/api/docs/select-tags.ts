interface Operation {
  readonly tags?: readonly string[];
}

type Named<Value> = Readonly<Record<string, Value>>;

/** An OpenAPI document, as JSON has it. */
export interface OpenApi {
  readonly tags: readonly { readonly name: string }[];
  readonly paths: Named<Named<Operation>>;
  readonly webhooks: Named<Named<Operation>>;
  readonly components: Named<Named<unknown>>;
}

/** Returns the part of a document that has the operations of some tags, and what these refer to. */
export function selectTags(document: OpenApi, names: readonly string[]): OpenApi {
  const paths = selectOperations(document.paths, names);
  const webhooks = selectOperations(document.webhooks, names);
  const { components } = document;
  const used = new Set<string>();
  const follow = (part: unknown): void => {
    for (const [, reference = ''] of JSON.stringify(part).matchAll(/"#\/components\/([^"]+)"/g)) {
      if (used.has(reference)) continue;
      used.add(reference);
      const [kind = '', name = ''] = reference.split('/');
      follow(components[kind]?.[name]);
    }
  };
  follow({ paths, webhooks });
  const kinds = Object.entries(components).map(([kind, parts]) => {
    // Operations name security schemes without a reference.
    const isUsed = (name: string) => kind === 'securitySchemes' || used.has(`${kind}/${name}`);
    return [kind, pick(parts, isUsed)];
  });
  return {
    ...document,
    tags: document.tags.filter(({ name }) => names.includes(name)),
    paths,
    webhooks,
    components: Object.fromEntries(kinds),
  };
}

function selectOperations(paths: OpenApi['paths'], names: readonly string[]): OpenApi['paths'] {
  const selected = Object.entries(paths).map(([path, operations]): [string, Named<Operation>] => {
    const isSelected = (method: string) =>
      operations[method]?.tags?.some((tag) => names.includes(tag)) === true;
    return [path, pick(operations, isSelected)];
  });
  return Object.fromEntries(
    selected.filter(([, operations]) => Object.keys(operations).length > 0),
  );
}

function pick<Value>(values: Named<Value>, isWanted: (name: string) => boolean): Named<Value> {
  return Object.fromEntries(Object.entries(values).filter(([name]) => isWanted(name)));
}
