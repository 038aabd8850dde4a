import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { startForFile } from '../api/start-server.js';
import {
  allows,
  faultsOf,
  type Operation,
  openApi,
  operations,
  type Sent,
} from './openapi-document.js';
import { requestsTo } from './request-arbitrary.js';
import { SchemaArbitraries, SeenNames } from './schema-arbitrary.js';

// Another one each time, so that many runs find what few do; set it to see a failure again.
const seed = Number(process.env.CONTRACT_SEED ?? Math.floor(Math.random() * 2 ** 31));
const runs = Number(process.env.CONTRACT_RUNS ?? 20);
// On a busy machine fewer requests are enough.
const longestMs = Math.max(1_000, runs * 10);

const password = 'open sesame';
// A list of events may wait for 25 seconds.
const ending = operations.filter(({ operationId }) => operationId !== 'listEvents');
// What others need is deleted last.
const isForOperator = ({ path }: Operation) => path.startsWith('/api/v1/admin/');
const forOthers = ending.filter((operation) => !isForOperator(operation));
const inOrder = [
  ...forOthers.filter(({ method }) => method !== 'delete'),
  ...forOthers.filter(({ method }) => method === 'delete'),
  // Last, because the operator may suspend the organization of the test.
  ...operations.filter(isForOperator),
];
const literalPaths = new Set(operations.map(({ path }) => path));

const seen = new SeenNames();

const api = await startForFile({
  allowPrivateNetwork: true,
  // Every domain's record is set as it was asked for.
  resolveTxt: async (name) => {
    const domains = await api.server.database.read
      .selectFrom('domains')
      .select('challenge')
      .where('hostname', '=', name.replace('_shorty-challenge.', ''))
      .execute();
    return domains.map(({ challenge }) => challenge);
  },
});
const known = {
  ...api.credentials,
  client_id: api.credentials.clientId,
  client_secret: api.credentials.clientSecret,
  grant_type: 'client_credentials',
  scope: 'urls:read',
  password,
};
const targetUrl = 'https://example.com/';
const locked = { targetUrl, isPasswordProtected: true, password };
const webhook = { url: 'http://127.0.0.1:65533/', events: ['url.created'] };
const data = await api.createLink();
for (let at = 0; at < 5; at += 1) {
  // Its code and not its id: nobody changes it.
  const { shortCode } = await api.createLink(locked);
  seen.harvest('/api/v1/urls', { shortCode });
}
const seeds = [
  ['createQr', { urlId: data.id }],
  ['createWebhook', webhook],
  ['createUrl', { targetUrl }],
] as const;
for (const [id, body] of seeds) {
  const { path } = operations.find(({ operationId }) => operationId === id) as Operation;
  seen.harvest(path, (await api.call(id, { body })).body);
}

const tokenFor = (operation: Operation) =>
  isForOperator(operation) ? api.operator.token : api.token;

/** Sends nothing that would reach another operation, which its own test holds to its own words. */
async function ask(operation: Operation, sent: Sent) {
  const { pathname } = new URL(sent.path, api.server.url);
  fc.pre(pathname === operation.path || !literalPaths.has(pathname));
  fc.pre(pathname.split('/').length === operation.path.split('/').length);
  fc.pre(!pathname.endsWith('/'));
  return send(sent);
}

async function send({ path, ...init }: Sent) {
  const response = await fetch(api.server.url + path, { ...init, redirect: 'manual' });
  const text = await response.text();
  return { status: response.status, headers: response.headers, text };
}

describe(`whatever is sent, the answer is one of openapi.yaml and no 5xx, and what it does not allow is refused (CONTRACT_SEED=${seed})`, () => {
  it.each(inOrder.map((operation): [string, Operation] => [operation.operationId, operation]))(
    '%s',
    async (_, operation) => {
      const { path } = operation;
      const values = new SchemaArbitraries({ ...openApi.components, seen, path, known });
      const property = fc.asyncProperty(
        requestsTo(operation, values, tokenFor(operation)),
        async (sent) => {
          const answer = await ask(operation, sent);
          const what = `${answer.status} ${answer.text.slice(0, 1000)}`;
          expect(answer.status, what).toBeLessThan(500);
          expect(faultsOf(operation, answer), what).toEqual([]);
          // 207 has an error for each item that is refused. Addresses for visitors take any query.
          if (answer.status < 207 && path.startsWith('/api/v1/')) {
            expect(allows(operation, sent), JSON.stringify(sent)).toBe(true);
          }
          if (answer.headers.get('content-type')?.startsWith('application/json')) {
            seen.harvest(path, JSON.parse(answer.text));
          }
        },
      );
      await fc.assert(property, {
        seed,
        numRuns: runs,
        interruptAfterTimeLimit: longestMs,
        // Answers depend on what was asked before: a smaller case would be another one.
        endOnFailure: true,
      });
    },
  );
});
