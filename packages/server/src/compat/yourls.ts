import type { CallOperation } from '../api/mount-routes.js';
import { type ApiError, invalidField } from '../contract/api-error.js';
import type { UrlRecord } from '../urls/present-url.js';
import {
  type CompatReply,
  type CompatRoute,
  fieldsOf,
  jsonReply,
  readForm,
  toXml,
} from './compat-api.js';

/** The version of YOURLS whose API this is. */
const version = '1.10.2';

type Fields = Readonly<Record<string, unknown>>;
type Text = (name: string) => string;

const unknownAction = 'must be shorturl, expand, url-stats, stats or version';
const done = { message: 'success', statusCode: 200 };
const noText = 'Need either XML or JSON format for stats';

const actions: Readonly<Record<string, (call: CallOperation, text: Text) => Promise<Fields>>> = {
  async shorturl(call, text) {
    const url = text('url');
    const targetUrl = url === '' || url.includes('://') ? url : `http://${url}`;
    const customSlug = text('keyword') || null;
    const title = text('title') || null;
    const body = { targetUrl, customSlug, title, ifExists: 'return' };
    const { status, data } = await call('createUrl', { body });
    const isNew = status === 201;
    const { shorturl, timestamp: date, ...link } = linkOf(data);
    return {
      status: isNew ? 'success' : 'fail',
      ...(!isNew && { code: 'error:url' }),
      url: { keyword: keywordOf(data), ...link, date },
      message: `${data.targetUrl} ${isNew ? 'added to database' : 'already exists in database'}`,
      title: link.title,
      shorturl,
      // Also for a link that exists: clients read the short URL of a response with 200 only.
      statusCode: 200,
      simple: shorturl,
    };
  },

  async expand(call, text) {
    const url = await lookUp(call, text);
    const { shorturl, url: longurl, title } = linkOf(url);
    return { keyword: keywordOf(url), shorturl, longurl, title, ...done, simple: longurl };
  },

  'url-stats': async (call, text) => {
    return { ...done, link: linkOf(await lookUp(call, text)), simple: noText };
  },

  async stats(call, text) {
    const filter = text('filter');
    const sort = ['last', 'rand', 'random'].includes(filter) ? 'createdAt' : 'clickCount';
    const order = filter === 'bottom' ? 'asc' : 'desc';
    const limit = text('limit');
    // Without a limit, YOURLS lists no links. The total is needed, too.
    const range = { limit: limit || '1', offset: text('start') || '0' };
    const query = { view: 'full', sort, order, ...range };
    const { total, items } = (await call('listUrls', { query })).data;
    const everything = { since: '1970-01-01T00:00:00Z', limit: '1' };
    const overview = (await call('getAnalyticsOverview', { query: everything })).data;
    const clicks = overview.totals.totalClicks + overview.importedClicks;
    const listed = limit === '' ? [] : (items as readonly UrlRecord[]);
    const links = listed.map((link, at) => [`link_${at + 1}`, linkOf(link)]);
    return {
      ...(limit !== '' && { links: Object.fromEntries(links) }),
      stats: { total_links: String(total), total_clicks: String(clicks) },
      ...done,
      simple: noText,
    };
  },
};

const keywordOf = ({ customSlug, shortCode }: UrlRecord) => customSlug ?? shortCode;

async function lookUp(call: CallOperation, text: Text): Promise<UrlRecord> {
  return (await call('lookupUrl', { query: { shortUrl: text('shorturl') } })).data;
}

function linkOf(url: UrlRecord) {
  const timestamp = url.createdAt.slice(0, 19).replace('T', ' ');
  const clicks = String(url.clickCount + url.importedClicks);
  // The address of the client is not stored with a link.
  const more = { title: url.title ?? '', timestamp, ip: '', clicks };
  return { shorturl: url.shortUrl, url: url.targetUrl, ...more };
}

/** YOURLS's API: `/yourls-api.php`, with an API key as `signature` or `password`. */
export const yourlsRoutes: readonly CompatRoute[] = [
  {
    path: '/yourls-api.php',
    methods: ['GET', 'POST'],
    async respond(request, response, options) {
      // The error of a request has the form that its fields ask for, too.
      request.body = { ...request.query, ...(await readForm(response)) };
      const text = textOf(request.body);
      const key = text('signature') || text('password');
      // Any page may load a script, so it has no more than a stranger may know.
      if (text('format') === 'jsonp' && key !== '') {
        const message = 'must be left out with format=jsonp: use json';
        throw invalidField('signature', message);
      }
      if (text('action') === 'version') return reply(200, { version, simple: version }, text);
      const action = Object.hasOwn(actions, text('action')) && actions[text('action')];
      if (!action) throw invalidField('action', unknownAction);
      const run = (call: CallOperation) => action(call, text);
      return reply(200, await options.doAsCaller(key, request, response, run), text);
    },
    keyField: 'signature',
    fieldNames: { targetUrl: 'url', customSlug: 'keyword' },
    refuse: (error, request) => refuse(error, textOf(request.body ?? request.query)),
  },
];

const textOf = (fields: Fields) => (name: string) => {
  const value = fields[name];
  return typeof value === 'string' ? value.trim() : '';
};

function reply(status: number, { simple = '', ...fields }: Fields, text: Text): CompatReply {
  const format = text('format') || 'xml';
  const callback = text('callback');
  if (format === 'xml') return { status, mediaType: 'application/xml', text: toXml(fields) };
  if (format === 'jsonp' && /^[\w$][\w$.]{0,99}$/.test(callback)) {
    const script = `${callback}(${JSON.stringify({ ...fields, callback })})`;
    return { status, mediaType: 'application/javascript', text: script };
  }
  if (format.startsWith('json')) return jsonReply(status, fields);
  return { status, mediaType: 'text/plain', text: String(simple) };
}

function refuse(error: ApiError, text: Text): CompatReply {
  const [path] = fieldsOf(error);
  const code = { url: 'error:nourl', keyword: 'error:keyword' }[path ?? ''];
  const status = error.code === 'UNAUTHORIZED' ? 403 : code ? 400 : error.status;
  const message = error.code === 'NOT_FOUND' ? 'Error: short URL not found' : error.message;
  const fields = { message, errorCode: String(status), statusCode: String(status) };
  if (!code) return reply(status, { ...fields, simple: message }, text);
  return reply(status, { status: 'fail', code, ...fields }, text);
}
