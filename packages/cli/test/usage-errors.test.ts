import { describe, expect, test } from 'vitest';
import { startSignedInShorty } from './signed-in-shorty.js';

const { shorty } = await startSignedInShorty();

/** Command lines by the words that they begin with, and what their messages contain. */
const lines: Readonly<Record<string, readonly (readonly [string, string])[]>> = {
  '': [
    ['--bogus', "unknown option '--bogus'"],
    ['import rebrandly x.csv', "unknown command 'rebrandly'\n  see shorty import --help\n"],
    ['completion tcsh', "shorty: value 'tcsh' is invalid for argument 'shell'. Allowed"],
  ],
  'admin audit': [['--since monday', '--since monday: invalid time']],
  'analytics report': [
    ['-o ndjson', 'use terminal, html, csv, json'],
    ['--json --output html', 'cannot be used together'],
    ['-o csv --out x.pdf', 'unknown extension .pdf\n  use .html, .csv, .json, .txt\n'],
    ['--since monday', '--since monday: invalid time'],
    ['--since 1d --timezone Europe/Atlantis', "'Europe/Atlantis' is invalid. It must be an IANA"],
    ['--until 20301101', 'use a timestamp (2030-11-01T00:00:00Z), a date'],
    ['--group-by week', 'Allowed choices are hour, day'],
    ['--limit 0', 'at least 1'],
    ['--output xml', '--output xml: unknown format'],
  ],
  'analytics tail': [['--output csv', '--output']],
  api: [
    ['HEAD urls', 'method HEAD: must be GET, POST, PUT, PATCH, DELETE'],
    ['GET https://other.example/api/v1/urls', 'must be a path'],
    ['GET urls?limit=1', 'use --field name=value'],
    ['GET urls -f limit', 'must have the form name=value'],
    ['GET urls -f limit:=x', 'invalid JSON'],
    ['GET urls --input -', 'has no body'],
    ['GET urls --fields id', '--fields'],
    ['GET urls --output csv', '--output csv: unknown format'],
  ],
  config: [
    ['get baseurl', 'Allowed choices are baseUrl, clientId, profile'],
    ['get clientSecret', 'Allowed choices are baseUrl, clientId, profile'],
    ['set baseUrl ftp://x', 'must be an http or https URL'],
    ['set baseUrl ', 'must not be empty'],
  ],
  'domains update': [
    ['none.example.com', 'nothing to change'],
    ['none.example.com --clear hostname', 'unknown field'],
    ['none.example.com --asset-links /no/such/file', '/no/such/file cannot be read: ENOENT'],
  ],
  'organization update': [
    ['', 'nothing to change'],
    ['--clear name', '--clear name: unknown field'],
  ],
  'qr create': [
    ['', 'give a link or --data'],
    ['1 --data x', 'give a link or --data'],
    ['--data x --out x.xlsx', 'unknown extension .xlsx\n  use .svg'],
    ['--data x --format svg --out x.png', '--out x.png contradicts the format svg\n'],
    ['--data x --size big', 'It must be a whole number'],
    ['--data x --style-preset odd', 'Allowed choices are default, rounded, dots'],
  ],
  'qr export': [
    ['--out x', '--url-id, --tag or --all is required'],
    ['--all', "required option '--out <folder>' not specified"],
    ['--out x --all --url-id 1', 'cannot be used with option'],
    ['--all --out /dev/null', '--out /dev/null'],
  ],
  urls: [
    ['crate', 'did you mean create?'],
    ['create', "missing required argument 'targetUrl'\n  see shorty urls create --help\n"],
    ['bulk-delete idz.txt', 'idz.txt: file not found'],
    ['create example.com/a', 'must start with http:// or https://\n  use https://example.com/a\n'],
    ['list --limit 0', 'It must be at least 1.'],
    ['list --all --offset 3', 'cannot be used with'],
    ['list --timeout soon', '--timeout soon: must be a number'],
    ['list -o xml', 'use table, json, ndjson, csv'],
    ['list --json -o csv', 'cannot be used together'],
    ['export --out x.xlsx', 'unknown extension .xlsx\n  use .csv'],
    ['visits --out x.xlsx', 'unknown extension .xlsx\n  use .'],
    ['export -o ndjson --out x.csv', '--out x.csv contradicts the format ndjson\n'],
    ['export --fields id,title', 'use shorty urls list --all --output csv --fields id,title'],
    ['rules show sale -o csv', '--output csv'],
    ['rules set sale -', 'stdin is no JSON'],
  ],
  'urls update 42': [
    ['', 'nothing to change'],
    ['--target-url example.com', 'use https://example.com'],
    ['--clear titel', 'did you mean title?'],
    ['--clear title --title x', 'another option sets this field'],
    ['--tag x --add-tag y', 'cannot be used with'],
    ['--clear tags --add-tag y', '--clear tags cannot be used with --add-tag'],
    ['--pause', 'did you mean shorty urls pause?'],
    ['--inactive', 'did you mean shorty urls pause?'],
    ['--target https://x.example', 'did you mean --target-url?'],
    ['--redirect-type soon', 'It must be 301, 302, 307 or 308.'],
    ['--utm-param x', 'must have the form key=value'],
    ['--preview-image https://example.com/a.png', 'a preview needs a title: set --preview-title'],
    ['--rules no-such-file', 'no-such-file cannot be read'],
    ['--title x --if-match a"b', '--if-match'],
    ['--title x --if-match ', '--if-match'],
  ],
  webhooks: [
    ['create localhost:9/x --event url.created', 'use http://localhost:9/x'],
    ['recover x', "required option '--since <time>' not specified"],
    ['create https://a.example', '--event or --all-events is required'],
    ['update x', 'nothing to change'],
    ['pause x', 'did you mean shorty webhooks update --paused?'],
    ['update x --clear url', 'unknown field'],
    ['event-types url.click', 'url.click: unknown event type\n  did you mean url.clicked?'],
    ['stats x --since soon', '--since soon'],
    ['deliveries x --since soon', '--since soon'],
    ['listen --events url.creatd', 'did you mean url.created?'],
    ['listen --forward-to ftp://a.example', 'must be an http or https URL'],
    ['listen --forward-to localhost:4000', 'use http://localhost:4000'],
    ['verify - --secret-stdin', 'body and secret cannot both come from stdin'],
    ['verify -', 'no webhook secret'],
    ['verify missing.json --secret-stdin', 'missing.json cannot be read'],
  ],
};

describe.each(Object.entries(lines))('%s', (words, rows) => {
  test.each(rows)('%s exits with 2 and says what is wrong', async (line, message) => {
    const args = [words, line].filter((part) => part !== '').flatMap((part) => part.split(' '));
    const { code, stdout, stderr } = await shorty.run(args, { input: 'x' });
    expect([code, stdout, stderr]).toEqual([2, '', expect.stringContaining(message)]);
    if (/--json|-o /.test(line)) return;
    const json = await shorty.run([...args, '--json'], { input: 'x' });
    expect(JSON.parse(json.stderr)).toMatchObject({ error: { code: 'USAGE' } });
  });
});
