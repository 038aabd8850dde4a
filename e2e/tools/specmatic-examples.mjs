// Valid exchanges for Specmatic, which cannot guess the ids of existing records.
import { mkdirSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';

/**
 * Creates records on a server, and writes a file for each example exchange. `externals` are the list
 * of TXT records in DNS, which this extends, and the URL of a logo. Returns an access token.
 */
export async function writeExamples(server, operations, folder, externals) {
  const { url: origin, credentials } = server;
  const administrate = (path, body) =>
    post(origin, `/api/v1/admin${path}`, body, externals.operatorKey);
  const signIn = (client) => post(origin, '/api/v1/auth/token', client);
  // The first client has all scopes but urls:erase.
  const first = await signIn(credentials);
  const { id } = await send('GET', origin, '/api/v1/organization', undefined, first.accessToken);
  const scopes = [...first.scope.split(' '), 'urls:erase'];
  const client = await administrate(`/organizations/${id}/clients`, { scopes });
  const { accessToken } = await signIn({ clientId: client.id, clientSecret: client.clientSecret });
  const create = (path, body) => post(origin, `/api/v1${path}`, body, accessToken);
  const exchanges = {
    ...(await makeExchanges(create, credentials, externals)),
    ...(await makeOperatorExchanges(administrate, origin)),
  };
  const missing = [...operations.keys()].filter((id) => !exchanges[id]);
  if (missing.length > 0) throw new Error(`there is no example of ${missing.join(', ')}`);
  mkdirSync(folder, { recursive: true });
  for (const [id, variants] of Object.entries(exchanges)) {
    for (const [at, exchange] of [variants].flat().entries()) {
      const example = exampleOf(operations.get(id), exchange);
      writeFileSync(join(folder, `${id}-${at}.json`), JSON.stringify(example, null, 2));
    }
  }
  return accessToken;
}

/** Returns the path parameters, query, body and status of each exchange, by operationId. */
async function makeExchanges(create, { clientId, clientSecret }, { challenges, logoUrl }) {
  const newDomain = async (hostname) => {
    const domain = await create('/domains', { hostname });
    challenges.push(domain.txtRecord.value);
    return domain;
  };
  const targetUrl = 'https://example.com/';
  const password = 'open sesame';
  const domain = await newDomain('go.example.com');
  await create(`/domains/${domain.id}/verify`, {});
  const link = {
    targetUrl,
    title: 'Spring',
    description: 'A sale',
    category: 'campaigns',
    tags: ['launch'],
    domainId: domain.id,
    redirectType: 301,
    activatesAt: '2020-01-01T00:00:00Z',
    expiresAt: '2099-12-31T23:59:59Z',
    expiredUrl: targetUrl,
    maxClicks: 100,
    isPasswordProtected: true,
    password,
    utmSource: 'mail',
    utmMedium: 'email',
    utmCampaign: 'spring',
    utmTerm: 'sale',
    utmContent: 'top',
    customUtmParams: {},
    sourceDomain: 'example.com',
    clickThresholds: [50, 500],
    rules: [],
    preview: { title: 'Spring', description: 'A sale', imageUrl: targetUrl },
    forwardQuery: true,
    forwardPath: false,
    infoPage: true,
    publicStats: false,
  };
  const look = {
    size: 400,
    format: 'png',
    foregroundColor: '#000000',
    backgroundColor: '#FFFFFF',
    logoUrl,
    errorCorrectionLevel: 'H',
  };
  // Nothing listens on this port, so each delivery fails at once.
  const receiver = { url: 'http://127.0.0.1:65533/hook', events: ['url.created'] };
  const invite = async (name) =>
    (await create('/people', { email: `${name}@example.com`, role: 'viewer' })).id;
  const newUrl = (more = {}) => create('/urls', { targetUrl, ...more });
  const nobody = '00000000-0000-7000-8000-000000000000';

  const { id } = await newUrl();
  const locked = await newUrl({ isPasswordProtected: true, password });
  await newUrl({ tags: ['launch', 'deleted'] });
  const qr = await create('/qr', { urlId: id });
  const webhook = await create('/webhooks', receiver);
  const delivery = await create(`/webhooks/${webhook.id}/test`, {});
  const redirects = await Promise.all(
    [301, 302, 307, 308].map(async (redirectType) => ({
      path: { code: (await newUrl({ redirectType })).shortCode },
      status: redirectType,
    })),
  );
  const downloads = await Promise.all(
    ['png', 'webp'].map(async (format) => ({
      path: { id: (await create('/qr', { data: 'an image', format })).id },
      contentType: `image/${format}`,
    })),
  );
  const onDomain = { path: { id: domain.id } };
  const onUrl = { path: { id } };
  const onExternal = { path: { externalId: 'order-7' } };
  await newUrl({ externalId: onExternal.path.externalId });
  const onQr = { path: { id: qr.id } };
  const settings = {
    description: 'The CRM',
    filters: { tags: ['launch'], urlIds: [id] },
    // Specmatic does not find the keys of a map in a schema that also allows null.
    headers: {},
  };
  const onWebhook = { path: { id: webhook.id } };
  const onDelivery = { path: { id: webhook.id, deliveryId: delivery.id } };
  const day = 24 * 60 * 60 * 1000;
  const now = Date.now();
  const window = {
    since: new Date(now - day).toISOString(),
    until: new Date(now).toISOString(),
    groupBy: 'hour',
  };
  const { since, until } = window;
  const clicksOf = {
    ...window,
    timezone: 'Europe/Berlin',
    limit: '5',
  };
  const failed = { since, until, eventType: 'url.created' };

  return {
    createToken: [
      { body: { clientId, clientSecret, scope: 'urls:read' } },
      { body: { clientId, clientSecret: 'wrong' }, status: 401 },
    ],
    createApiKey: {
      body: {
        name: 'deploy',
        scopes: ['urls:read'],
        domainId: domain.id,
        onlyOwnLinks: true,
        expiresAt: '2099-12-31T23:59:59Z',
      },
      status: 201,
    },
    listApiKeys: {},
    deleteApiKey: { path: { id: (await create('/api-keys', { name: 'old' })).id } },
    getMe: {},
    getOwnOrganization: {},
    inviteUser: { body: { email: 'ada@example.com', role: 'editor' }, status: 201 },
    listUsers: { query: { limit: '5' } },
    changeUserRole: { path: { id: await invite('eve') }, body: { role: 'editor' } },
    resetUserPassword: { path: { id: await invite('bob') }, status: 201 },
    deleteUser: { path: { id: await invite('mallory') } },
    updateOwnOrganization: { body: { excludeAddresses: ['203.0.113.0/24', '2001:db8::/32'] } },
    listAuditEntries: { query: { limit: '5', operation: 'createUrl', since, until } },
    createUrl: [
      { body: { ...link, importedClicks: 7 }, status: 201 },
      { body: { targetUrl, customSlug: 'api' }, status: 400 },
    ],
    listUrls: { query: { limit: '5', offset: '1' } },
    bulkCreateUrls: [
      { body: { urls: [{ ...link, importedClicks: 7 }] }, status: 201 },
      { body: { urls: [{ ...link, domainId: nobody }] }, status: 207 },
    ],
    bulkUpdateUrls: [
      { body: { updates: [{ ...link, id: Number(id), isActive: true }] } },
      { body: { updates: [{ ...link, id: 999999, isActive: true }] }, status: 207 },
    ],
    bulkDeleteUrls: { body: { ids: [Number((await newUrl()).id), 999999] } },
    exportUrls: { query: { limit: '100', isActive: 'true' } },
    getUrlByExternalId: onExternal,
    upsertUrl: { ...onExternal, body: { ...link, importedClicks: 0 } },
    lookupUrl: { query: { shortUrl: locked.shortUrl } },
    checkSlug: { query: { slug: 'free-slug', domainId: domain.id } },
    getUrlMetadata: { query: { url: 'http://127.0.0.1:9/' } },
    getUrl: [onUrl, { path: { id: '999999' }, status: 404 }],
    updateUrl: { ...onUrl, body: { ...link, isActive: true } },
    deleteUrl: { path: { id: (await newUrl()).id }, query: { erase: 'true' } },
    restoreUrl: { path: { id: (await newUrl()).id } },
    testUrlRules: {
      ...onUrl,
      query: {
        device: 'mobile',
        os: 'iOS',
        browser: 'Safari',
        country: 'DE',
        language: 'de',
        query: 'a=b',
        referrer: 'example.com',
      },
    },
    listTags: { query: { sort: 'linkCount', order: 'asc', search: 'l', limit: '5' } },
    renameTag: { path: { tag: 'launch' }, body: { name: 'launch' } },
    deleteTag: [{ path: { tag: 'deleted' } }, { path: { tag: 'no-link-has-it' }, status: 404 }],
    previewQrDesign: { body: { ...look, stylePreset: 'dots', data: 'another text' }, status: 200 },
    createQr: { body: { ...look, stylePreset: 'dots', data: 'another text' }, status: 201 },
    listQrs: { query: { standalone: 'true' } },
    listUrlQrs: onUrl,
    getQr: [onQr, { path: { id: nobody }, status: 404 }],
    updateQr: { ...onQr, body: look },
    deleteQr: { path: { id: (await create('/qr', { data: 'a text' })).id } },
    getUrlClicks: { ...onUrl, query: clicksOf },
    getAnalyticsOverview: { query: clicksOf },
    eraseUrlVisits: [
      { path: { id: (await newUrl()).id } },
      { path: { id: '999999' }, status: 404 },
    ],
    exportVisits: { query: { since, until, timezone: 'Europe/Berlin', limit: '5' } },
    getQrScans: { ...onQr, query: clicksOf },
    createWebhook: { body: { ...receiver, ...settings, isActive: true }, status: 201 },
    listWebhooks: {},
    getWebhook: [onWebhook, { path: { id: nobody }, status: 404 }],
    updateWebhook: { ...onWebhook, body: { ...receiver, ...settings, isActive: true } },
    deleteWebhook: { path: { id: (await create('/webhooks', receiver)).id } },
    testWebhook: { ...onWebhook, body: { type: 'qr.created' }, status: 201 },
    rotateWebhookSecret: [
      { ...onWebhook, body: { expireOldAfterSeconds: 0 } },
      { path: { id: nobody }, status: 404 },
    ],
    listDeliveries: {
      ...onWebhook,
      query: {
        status: 'pending',
        eventType: 'url.created',
        eventId: delivery.eventId,
        urlId: id,
        since,
        until,
      },
    },
    getDelivery: onDelivery,
    replayDelivery: { ...onDelivery, status: 201 },
    recoverDeliveries: { ...onWebhook, body: failed, status: 201 },
    listEvents: { query: { type: 'url.created', limit: '5' } },
    getWebhookStats: { ...onWebhook, query: window },
    createDomain: { body: { hostname: 'new.example.com' }, status: 201 },
    listDomains: { query: { isActive: 'true', hostname: 'go.example.com' } },
    getDomain: onDomain,
    updateDomain: {
      ...onDomain,
      body: {
        rootUrl: 'https://www.example.com/',
        notFoundUrl: 'https://www.example.com/404',
        expiredUrl: 'https://www.example.com/over',
        ignoreCase: true,
        forwardQuery: true,
        forwardPath: false,
        // Specmatic does not find the keys of a map in a schema that also allows null.
        appleAppSiteAssociation: null,
        assetLinks: [],
      },
    },
    verifyDomain: onDomain,
    deleteDomain: { path: { id: (await newDomain('old.example.com')).id } },
    getTlsAllowed: { query: { domain: 'nobody.example.com' }, status: 404 },
    getUsage: { query: { period: new Date(now).toISOString().slice(0, 7) } },
    getLiveness: {},
    getReadiness: {},
    getMetrics: {},
    getOpenApi: {},
    getDocs: {},
    getDocsFile: [
      { path: { file: 'docs.css' }, contentType: 'text/css' },
      { path: { file: 'docs.js' }, contentType: 'text/javascript' },
    ],
    downloadQr: downloads,
    previewQr: onQr,
    followLink: [...redirects, { path: { code: locked.shortCode } }],
    unlockLink: { path: { code: locked.shortCode }, body: { password }, status: 303 },
  };
}

/** Returns the exchanges of the operator. */
async function makeOperatorExchanges(create, origin) {
  const organization = await create('/organizations', { name: 'Acme', plan: 'scale' });
  const { id } = organization;
  const doomed = await create('/organizations', { name: 'Gone Ltd', plan: 'free' });
  const nobody = '00000000-0000-7000-8000-000000000000';
  const scopes = ['keys:write', 'urls:read'];
  const client = await create(`/organizations/${id}/clients`, { name: 'CI', scopes });
  const old = await create(`/organizations/${id}/clients`, {});
  const { clientSecret } = client;
  const { accessToken } = await post(origin, '/api/v1/auth/token', {
    clientId: client.id,
    clientSecret,
  });
  const newKey = () => post(origin, '/api/v1/api-keys', { name: 'a key' }, accessToken);
  const onOrganization = { path: { id } };
  const onClient = { path: { id, clientId: client.id } };
  const onKey = { path: { id, keyId: (await newKey()).id } };
  const expiresAt = '2099-12-31T23:59:59Z';
  const writer = await create(`/organizations/${id}/clients`, {});
  const { accessToken: token } = await post(origin, '/api/v1/auth/token', {
    clientId: writer.id,
    clientSecret: writer.clientSecret,
  });
  const targetUrl = 'https://example.com/taken-down';
  const newLink = () => post(origin, '/api/v1/urls', { targetUrl }, token);
  const links = [(await newLink()).shortUrl, (await newLink()).shortUrl];
  const takedown = await create('/takedowns', { shortUrl: links[1], reason: 'spam' });
  const onTakedown = { path: { id: takedown.id } };
  await create('/blocked-hosts', { host: 'old.example', reason: 'spam' });
  return {
    createOrganization: { body: { name: 'Acme', plan: 'scale' }, status: 201 },
    listOrganizations: { query: { limit: '5', offset: '0' } },
    getOrganization: [onOrganization, { path: { id: nobody }, status: 404 }],
    updateOrganization: {
      ...onOrganization,
      body: { name: 'Acme', plan: 'scale', isSuspended: false },
    },
    deleteOrganization: {
      path: { id: doomed.id },
      body: { confirm: doomed.id },
      status: 202,
    },
    listUsage: { query: { period: '2026-01' } },
    createClient: { ...onOrganization, body: { name: 'CI', scopes }, status: 201 },
    listClients: onOrganization,
    updateClient: { ...onClient, body: { name: 'CI', expiresAt } },
    revokeClient: { path: { id, clientId: old.id } },
    listOrganizationApiKeys: onOrganization,
    updateOrganizationApiKey: { ...onKey, body: { name: 'a key', expiresAt } },
    takeDownUrl: { body: { shortUrl: links[0], reason: 'phishing' }, status: 201 },
    listTakedowns: { query: { limit: '5', offset: '0' } },
    listAllAuditEntries: {
      query: {
        limit: '5',
        organizationId: id,
        actor: 'operator',
        since: '2026-01-01',
        until: expiresAt,
      },
    },
    undoTakedown: [onTakedown, { path: { id: '999999' }, status: 404 }],
    blockHost: { body: { host: 'evil.example', reason: 'phishing' }, status: 201 },
    listBlockedHosts: { query: { limit: '5', offset: '0' } },
    unblockHost: { path: { host: 'old.example' } },
    deleteOrganizationApiKey: { path: { id, keyId: (await newKey()).id } },
  };
}

/** Returns a partial example. Specmatic generates the rest, and checks the response by its schema. */
function exampleOf(operation, { path = {}, query, body, status = 200, contentType }) {
  const filled = operation.path.replace(/\{(\w+)\}/g, (_, name) => path[name]);
  return {
    partial: {
      'http-request': {
        method: operation.method.toUpperCase(),
        path: filled,
        ...(query && { query }),
        ...(body && { headers: { 'Content-Type': 'application/json' }, body }),
      },
      'http-response': {
        status,
        ...(contentType && { headers: { 'Content-Type': contentType } }),
        ...bodyOf(operation.responses[status]),
      },
    },
  };
}

/** Returns the smallest example of a documented body. */
function bodyOf({ content }) {
  if (!content) return {};
  return { body: 'application/json' in content ? {} : 'text' };
}

function post(origin, path, body, token) {
  return send('POST', origin, path, body, token);
}

async function send(method, origin, path, body, token) {
  const authorization = token && { authorization: `Bearer ${token}` };
  const response = await fetch(origin + path, {
    method,
    headers: { ...(body && { 'content-type': 'application/json' }), ...authorization },
    body: body && JSON.stringify(body),
  });
  const envelope = await response.json();
  if (!response.ok) throw new Error(`${method} ${path}: ${JSON.stringify(envelope)}`);
  return envelope.data;
}
