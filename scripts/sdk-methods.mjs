// Renders the methods of the SDK from the operations of openapi.yaml.
import { nameOf } from './read-contract.mjs';

// The method of each operation, and the name of the type of its query. Null: the method takes no query.
const methods = {
  getMe: ['me'],
  listAuditEntries: ['audit', 'AuditQuery'],
  createApiKey: ['apiKeys.create'],
  listApiKeys: ['apiKeys.list', 'ApiKeyListQuery'],
  deleteApiKey: ['apiKeys.delete'],
  getOwnOrganization: ['organization.get'],
  updateOwnOrganization: ['organization.update'],
  inviteUser: ['people.invite'],
  listUsers: ['people.list', 'UserListQuery'],
  changeUserRole: ['people.changeRole'],
  deleteUser: ['people.delete'],
  resetUserPassword: ['people.resetPassword'],
  acceptInvitation: ['session.acceptInvitation'],
  getSession: ['session.get'],
  createSession: ['session.create'],
  deleteSession: ['session.delete'],
  changePassword: ['session.changePassword'],
  createUrl: ['urls.create'],
  listUrls: ['urls.list', 'UrlListQuery'],
  bulkCreateUrls: ['urls.bulkCreateChunk'],
  bulkUpdateUrls: ['urls.bulkUpdateChunk'],
  bulkDeleteUrls: ['urls.bulkDeleteChunk', null],
  lookupUrl: ['urls.lookup'],
  checkSlug: ['urls.checkSlug', 'SlugCheckQuery'],
  getUrlMetadata: ['urls.metadata'],
  getUrlByExternalId: ['urls.getByExternalId'],
  upsertUrl: ['urls.upsert'],
  getUrl: ['urls.get'],
  updateUrl: ['urls.update'],
  deleteUrl: ['urls.delete', null],
  restoreUrl: ['urls.restore'],
  testUrlRules: ['urls.testRules', 'RuleTestQuery'],
  listUrlQrs: ['urls.qrs', 'UrlQrListQuery'],
  getUrlClicks: ['urls.clicks', 'ClicksQuery'],
  eraseUrlVisits: ['urls.eraseVisits'],
  listTags: ['tags.list', 'TagListQuery'],
  renameTag: ['tags.rename'],
  deleteTag: ['tags.delete'],
  createQr: ['qr.create'],
  listQrs: ['qr.list', 'QrListQuery'],
  previewQrDesign: ['qr.preview'],
  getQr: ['qr.get'],
  updateQr: ['qr.update'],
  deleteQr: ['qr.delete'],
  getQrScans: ['qr.scans', 'ScansQuery'],
  downloadQr: ['qr.download', null],
  getAnalyticsOverview: ['analytics.overview', 'OverviewQuery'],
  exportVisits: ['analytics.visits', 'VisitExportQuery'],
  createWebhook: ['webhooks.create'],
  listWebhooks: ['webhooks.list', 'WebhookListQuery'],
  getWebhook: ['webhooks.get'],
  updateWebhook: ['webhooks.update'],
  deleteWebhook: ['webhooks.delete'],
  testWebhook: ['webhooks.test'],
  rotateWebhookSecret: ['webhooks.rotateSecret'],
  listDeliveries: ['webhooks.deliveries', 'DeliveryListQuery'],
  getDelivery: ['webhooks.delivery'],
  replayDelivery: ['webhooks.replay'],
  recoverDeliveries: ['webhooks.recover'],
  getWebhookStats: ['webhooks.stats', 'WebhookStatsQuery'],
  listEventTypes: ['webhooks.eventTypes'],
  listEvents: ['events.list', 'EventListQuery'],
  createDomain: ['domains.create'],
  listDomains: ['domains.list', 'DomainListQuery'],
  getDomain: ['domains.get'],
  updateDomain: ['domains.update'],
  deleteDomain: ['domains.delete'],
  verifyDomain: ['domains.verify'],
  getUsage: ['usage.get', 'UsageQuery'],
  createOrganization: ['admin.organizations.create'],
  listOrganizations: ['admin.organizations.list', 'OrganizationListQuery'],
  getOrganization: ['admin.organizations.get'],
  updateOrganization: ['admin.organizations.update'],
  deleteOrganization: ['admin.organizations.delete'],
  createClient: ['admin.clients.create'],
  listClients: ['admin.clients.list', 'ClientListQuery'],
  revokeClient: ['admin.clients.revoke'],
  listOrganizationApiKeys: ['admin.apiKeys.list', 'OrganizationApiKeyListQuery'],
  deleteOrganizationApiKey: ['admin.apiKeys.delete'],
  takeDownUrl: ['admin.takedowns.create'],
  listTakedowns: ['admin.takedowns.list', 'TakedownListQuery'],
  undoTakedown: ['admin.takedowns.delete'],
  blockHost: ['admin.blockedHosts.create'],
  listBlockedHosts: ['admin.blockedHosts.list', 'BlockedHostListQuery'],
  unblockHost: ['admin.blockedHosts.delete'],
  listUsage: ['admin.usage', 'OrganizationUsageQuery'],
  listAllAuditEntries: ['admin.audit', 'OperatorAuditQuery'],
};

const resourceDocs = {
  apiKeys: 'API keys of the organization',
  organization: 'The settings of the organization',
  people: 'The people of the organization',
  session: 'The session of a person in a browser',
  urls: 'Short links',
  tags: 'Tags of links. A tag exists while a link has it',
  qr: 'QR codes of links and texts',
  analytics: 'Reports on all links',
  webhooks: 'Webhooks and their deliveries',
  events: 'The events of the organization',
  domains: 'Custom domains of links',
  usage: 'The usage of the organization',
  admin: 'All organizations of a server. The option `apiKey` is the operator key',
  'admin.organizations': 'Organizations',
  'admin.clients': 'API clients of organizations',
  'admin.apiKeys': 'API keys of organizations',
  'admin.takedowns': 'Links that the operator took down',
  'admin.blockedHosts': 'Hosts to which no link may lead',
};

// Resources with further methods, which are written by hand in `../resources/`.
const extended = ['urls', 'analytics', 'domains'];

const errorClasses = {
  400: 'ValidationError',
  402: 'QuotaExceededError',
  403: 'PermissionError',
  404: 'NotFoundError',
  409: 'ConflictError',
  410: 'GoneError',
  412: 'ConflictError',
};
// The class of the error says the same.
const plainCodes = [
  'VALIDATION_FAILED',
  'QUOTA_EXCEEDED',
  'NOT_FOUND',
  'GONE',
  'PRECONDITION_FAILED',
];
// Codes that any call, or any call with an idempotency key, can get.
const commonCodes = ['INSUFFICIENT_SCOPE', 'ORGANIZATION_SUSPENDED', 'IDEMPOTENCY_CONFLICT'];

/** Returns whether a request can have the ETag of the version that it changes. */
export function takesIfMatch({ parameters = [] }) {
  return parameters.some(({ name }) => name === 'If-Match');
}

/** Returns what a method of the SDK takes and returns, or undefined for an operation without a method. */
export function describeMethod(operation) {
  const { operationId, method, path, parameters = [], requestBody, responses } = operation;
  if (operationId === 'createToken') return undefined;
  if (!methods[operationId])
    throw new Error(`scripts/sdk-methods.mjs has no name for ${operationId}`);
  const [fullName, queryType] = methods[operationId];
  const query = parameters.filter((parameter) => parameter.in === 'query');
  const isSingle = query.length === 1 && query[0].required;
  if (query.length > 0 && queryType === undefined && !isSingle) {
    throw new Error(`scripts/sdk-methods.mjs has no name for the query of ${operationId}`);
  }
  const success = Object.entries(responses).find(([status]) => /^20[012]$/.test(status))[1];
  const schema = success.content['application/json']?.schema;
  const at = fullName.lastIndexOf('.');
  return {
    route: `${method} ${path}`,
    resource: fullName.slice(0, Math.max(at, 0)),
    name: fullName.slice(at + 1),
    fullName,
    params: parameters.filter((parameter) => parameter.in === 'path'),
    // A single required parameter is an argument by itself.
    single: isSingle ? query[0] : undefined,
    queryType: isSingle ? undefined : (queryType ?? undefined),
    isQueryRequired: query.some(({ required }) => required),
    bodyType: requestBody && nameOf(requestBody.content['application/json'].schema.$ref),
    // Without its query, a request has its input in the body.
    isBodyRequired: requestBody && (requestBody.required === true || queryType === null),
    dataType: schema && nameOf((schema.anyOf?.[0] ?? schema).$ref).replace(/Response$/, ''),
  };
}

/** Returns the source of the classes with the methods, and of the class that has an instance of each. */
export function renderResources(document, operations, exampleOf) {
  const described = operations.flatMap((operation) => {
    const method = describeMethod(operation);
    return method ? [{ operation, ...method }] : [];
  });
  const render = (method) => renderMethod(document, method, exampleOf);
  const types = new Set();
  for (const { queryType, bodyType, dataType, ...rest } of described) {
    for (const type of [queryType, bodyType, dataType]) if (type) types.add(type);
    const item = itemTypeOf(document, { dataType });
    if (item) for (const name of item.split(' | ')) types.add(name);
    if (rest.params.some(isUrlId)) types.add('UrlId');
  }
  const classes = Object.keys(resourceDocs)
    .sort((a, b) => b.split('.').length - a.split('.').length)
    .map((resource) => {
      const own = described.filter((method) => method.resource === resource);
      const children = Object.keys(resourceDocs).filter((name) => name.startsWith(`${resource}.`));
      return renderClass(resource, own.map(render), children);
    });
  const root = described.filter(({ resource }) => resource === '').map(render);
  const resources = Object.keys(resourceDocs).filter(
    (name) => !name.includes('.') && !extended.includes(name),
  );
  return `// Generated from openapi.yaml by \`npm run generate\`. Do not edit.
import type { ApiPromise } from '../api-promise.js';
import type { ChangeOptions, RequestOptions } from '../options.js';
import type { PagedList } from '../paginate.js';
import type { QrImage } from '../read-response.js';
import type { Transport } from '../send-request.js';
import type {
${[...types]
  .sort()
  .map((name) => `  ${name},`)
  .join('\n')}
} from '../types.js';

class Resource {
  declare protected readonly api: Transport;

  constructor(api: Transport) {
    this.api = api;
  }
}

${classes.join('\n')}
/** The methods of a client that no resource has, and the resources without methods written by hand. */
export class Operations extends Resource {
${renderChildren(resources)}
${root.join('\n')}}
`;
}

function className(resource) {
  const words = resource.split('.').map((word) => word[0].toUpperCase() + word.slice(1));
  return `${words.join('')}Resource`;
}

function renderClass(resource, rendered, children) {
  const name = extended.includes(resource)
    ? `Generated${className(resource)}`
    : className(resource);
  return `/** ${resourceDocs[resource]}: \`shorty.${resource}\`. */
export class ${name} extends Resource {
${children.length > 0 ? `${renderChildren(children)}\n` : ''}${rendered.join('\n')}}
`;
}

function renderChildren(resources) {
  const fields = resources.map(
    (name) => `  declare readonly ${name.split('.').at(-1)}: ${className(name)};\n`,
  );
  const values = resources.map(
    (name) => `    this.${name.split('.').at(-1)} = new ${className(name)}(api);\n`,
  );
  return `${fields.join('')}
  constructor(api: Transport) {
    super(api);
${values.join('')}  }
`;
}

function renderMethod(document, method, exampleOf) {
  const { name, route, params, single, queryType, isQueryRequired, bodyType, isBodyRequired } =
    method;
  const args = [
    ...params.map((param) => `${param.name}: ${isUrlId(param) ? 'UrlId' : 'string'}`),
    ...(single ? [`${single.name}: string`] : []),
    ...(queryType ? [`query: ${queryType}${isQueryRequired ? '' : ' = {}'}`] : []),
    ...(bodyType ? [`body${isBodyRequired ? '' : '?'}: ${bodyType}`] : []),
    `options?: ${takesIfMatch(method.operation) ? 'ChangeOptions' : 'RequestOptions'}`,
  ];
  const input = [
    ...(params.length > 0 ? [`params: { ${params.map((param) => param.name).join(', ')} }`] : []),
    ...(single ? [`query: { ${single.name} }`] : queryType ? ['query'] : []),
    ...(bodyType ? ['body'] : []),
  ];
  const item = itemTypeOf(document, method);
  const result = item
    ? `PagedList<${item}, ${method.dataType}>`
    : `ApiPromise<${method.dataType ?? 'QrImage'}>`;
  const call = item ? 'list' : 'send';
  const given = input.length > 0 ? `{ ${input.join(', ')} }` : '{}';
  return `${renderDoc(document, method, item, exampleOf)}
  ${name}(${args.join(', ')}): ${result} {
    return this.api.${call}('${route}', ${given}, options);
  }
`;
}

/** Returns the type of the items of a page that has a next page by \`after\`, or undefined. */
function itemTypeOf({ components }, { dataType }) {
  const { properties } = components.schemas[dataType] ?? {};
  if (!properties?.total || !properties.items) return undefined;
  const { items } = properties.items;
  return (items.anyOf ?? [items]).map(({ $ref }) => nameOf($ref)).join(' | ');
}

function isUrlId({ schema }) {
  return schema.pattern?.startsWith('^[1-9]') === true;
}

function renderDoc(document, method, item, exampleOf) {
  const { operation } = method;
  const scopes = operation.security.flatMap(({ clientCredentials = [] }) => clientCredentials);
  const { summary, description = '' } = operation;
  const text = [
    `${summary}.`,
    description,
    item ? 'One page when awaited, all items when iterated.' : '',
    scopes.length > 0 && !description.includes('Needs the scope')
      ? `Needs the scope ${[...new Set(scopes)].join(' or ')}.`
      : '',
  ];
  const lines = [
    ...wrap(text.filter(Boolean).join(' ')),
    ...rejections(operation),
    '',
    '@example',
    '```ts',
    ...renderExample(document, method, item, exampleOf).split('\n'),
    '```',
  ];
  const body = lines.map((line) => `   *${line && ` ${line.replaceAll('*/', '*\\/')}`}`);
  return ['  /**', ...body, '   */'].join('\n');
}

function rejections({ responses }) {
  const errors = new Map();
  for (const [status, { description }] of Object.entries(responses)) {
    const codes = description.split(', ').filter((code) => !commonCodes.includes(code));
    const error = errorClasses[status];
    if (!error || codes.length === 0) continue;
    errors.set(error, [...(errors.get(error) ?? []), ...codes]);
  }
  const texts = [...errors].map(([error, codes]) => {
    const named = codes.filter((code) => !plainCodes.includes(code));
    return named.length > 0 ? `${error} (${named.join(', ')})` : error;
  });
  return texts.length > 0 ? ['', ...wrap(`Rejects with ${texts.join(', ')}.`)] : [];
}

function renderExample(document, method, item, exampleOf) {
  const { params, single, isQueryRequired, queryType, bodyType, isBodyRequired, fullName } = method;
  const { parameters = [] } = method.operation;
  const required = parameters.filter((each) => each.in === 'query' && each.required);
  const args = [
    ...params.map(({ schema }) => exampleOf(schema)),
    ...(single ? [exampleOf(single.schema)] : []),
    ...(queryType && isQueryRequired
      ? [Object.fromEntries(required.map(({ name, schema }) => [name, exampleOf(schema)]))]
      : []),
    ...(bodyType && isBodyRequired ? [exampleBody(document, bodyType, exampleOf)] : []),
  ];
  const call = `shorty.${fullName}(${args.map(literal).join(', ')})`;
  return item
    ? `for await (const item of ${call}) console.log(item);`
    : `console.log(await ${call});`;
}

/** Returns the required fields of a body, or else the first one with an example. */
function exampleBody(document, name, exampleOf) {
  const { properties, required = [] } = document.components.schemas[name];
  const isShown = ([field, schema]) =>
    required.length > 0 ? required.includes(field) : (schema.example ?? null) !== null;
  const shown = Object.entries(properties).filter(isShown);
  if (shown.length === 0) throw new Error(`no field of ${name} has an example`);
  return Object.fromEntries(
    (required.length > 0 ? shown : shown.slice(0, 1)).map(([field, schema]) => [
      field,
      exampleOfField(document, field, schema, exampleOf),
    ]),
  );
}

/** Returns the example of a field. The items of a bulk request have their required fields only. */
function exampleOfField(document, field, schema, exampleOf) {
  const item = schema.items?.anyOf?.find(({ $ref }) => $ref);
  if (item) return [exampleBody(document, nameOf(item.$ref), exampleOf)];
  return schema.example ?? exampleOf(schema, field);
}

function literal(value) {
  if (Array.isArray(value)) return `[${value.map(literal).join(', ')}]`;
  if (typeof value === 'object' && value !== null) {
    const fields = Object.entries(value).map(([name, each]) => `${name}: ${literal(each)}`);
    return `{ ${fields.join(', ')} }`;
  }
  return typeof value === 'string' ? `'${value.replaceAll("'", "\\'")}'` : JSON.stringify(value);
}

function wrap(text) {
  const lines = [''];
  for (const word of text.split(/\s+/)) {
    const line = lines.at(-1);
    if (line && line.length + word.length > 95) lines.push(word);
    else lines[lines.length - 1] = line ? `${line} ${word}` : word;
  }
  return lines;
}
