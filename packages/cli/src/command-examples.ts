import { adminCommands } from './commands/admin.js';

const uuid = '0192f0c1-2b7d-7c3e-9a51-3f1d2b6c8e47';

/** Examples of each command, which its help and the reference show. */
export const commandExamples: Readonly<Record<string, readonly string[]>> = {
  ...Object.fromEntries(
    Object.entries(adminCommands).map(([words, { example }]) => [`admin ${words}`, [example]]),
  ),
  'admin audit': [
    'shorty admin audit --since 2030-01-01 --operation takeDownUrl',
    `shorty admin audit --all -o ndjson \\\n    --organization ${uuid}`,
  ],
  audit: ['shorty audit', 'shorty audit --since 7d --operation deleteUrl --all -o ndjson'],
  shorten: [
    'shorty shorten https://example.com/spring',
    'shorty shorten https://example.com/spring --slug spring --copy',
    'shorty shorten https://example.com/poster --qr',
  ],
  login: [
    'shorty login https://links.example.com',
    'shorty login https://links.example.com < key.txt',
    'shorty login https://links.example.com --client-id ID < secret.txt',
    'shorty login https://staging.example.com --profile staging',
  ],
  logout: ['shorty logout', 'shorty logout --profile staging'],
  whoami: ['shorty whoami', 'shorty whoami --json'],
  'config get': ['shorty config get baseUrl'],
  'config set': [
    'shorty config set baseUrl https://links.example.com',
    'shorty config set profile staging',
  ],
  'config list': ['shorty config list'],
  'config unset': ['shorty config unset baseUrl'],
  'config path': ['shorty config path'],
  'urls create': [
    'shorty urls create https://example.com/spring',
    'shorty urls create https://example.com --slug launch --tag spring',
    'shorty urls create https://example.com | pbcopy',
    'shorty urls create https://example.com --if-exists return',
    'shorty urls create https://example.com --preview-title "Spring sale"',
  ],
  'urls upsert': [
    'shorty urls upsert order-1001 https://example.com/orders/1001',
    'shorty urls upsert product-7 https://example.com/sale --slug sale --tag shop',
  ],
  'urls list': [
    'shorty urls list --search spring',
    'shorty urls list --tag launch --active --all',
    'shorty urls list --fields id,shortUrl --output csv',
  ],
  'urls get': [
    'shorty urls get https://sho.example/spring-sale',
    'shorty urls get 42 --fields title,clickCount',
    'shorty urls get --external-id order-1001',
  ],
  'urls update': [
    'shorty urls update 42 --target-url https://example.com/autumn',
    'shorty urls update 42 --title "Autumn sale" --clear expiresAt',
    'shorty urls update 42 --inactive',
    'shorty urls update 42 --rules rules.json',
    'shorty urls update 42 --title "Autumn sale" --if-match mi8p2k1x',
  ],
  'urls rules set': [
    'shorty urls rules set spring-sale rules.json',
    "echo '[]' | shorty urls rules set spring-sale -",
  ],
  'urls rules show': ['shorty urls rules show spring-sale', 'shorty urls rules show 42 --json'],
  'urls rules test': [
    'shorty urls rules test spring-sale --country DE --language de',
    'shorty urls rules test 42 --os iOS --device mobile --query ref=mail',
  ],
  'urls delete': [
    'shorty urls delete 42',
    'shorty urls delete 42 43 --dry-run',
    'shorty urls delete spring-sale --erase',
  ],
  'import bitly': [
    'shorty import bitly bitly.csv --dry-run',
    'shorty import bitly bitly.csv --failed-out failed.csv',
    'shorty import bitly failed.csv --new-codes',
    'shorty import bitly bitly.csv --domain go.example.com=go.example.com',
  ],
  'import dub': [
    'shorty import dub links_export.csv --dry-run',
    'shorty import dub links_export.csv',
  ],
  'import kutt': ['shorty import kutt links.json --dry-run', 'shorty import kutt links.json'],
  'import yourls': [
    'shorty import yourls yourls_url.csv --dry-run',
    'shorty import yourls yourls_url.csv',
  ],
  'import shlink': [
    'shorty import shlink short_urls.csv --dry-run',
    'shorty import shlink short_urls.csv',
  ],
  'import shortio': [
    'shorty import shortio links.csv --dry-run',
    'shorty import shortio links.csv --domain go.example.com=go.example.com',
  ],
  'import tinyurl': [
    'shorty import tinyurl links.json --dry-run',
    'shorty import tinyurl links.json',
  ],
  'urls bulk-create': [
    'shorty urls bulk-create links.csv --dry-run',
    'shorty urls bulk-create links.csv --out created.csv --failed-out bad.csv',
    'shorty urls bulk-create links.csv --map Link=targetUrl --ignore-columns Notes',
  ],
  'urls bulk-update': [
    'shorty urls bulk-update changes.csv --dry-run',
    'shorty urls bulk-update changes.csv',
  ],
  'urls bulk-delete': [
    'shorty urls bulk-delete 41,42,43',
    'shorty urls bulk-delete ids.txt --dry-run',
  ],
  'urls restore': ['shorty urls restore spring-sale', 'shorty urls restore 41 42'],
  'urls pause': ['shorty urls pause spring-sale'],
  'urls resume': ['shorty urls resume spring-sale', 'shorty urls resume 41 42'],
  'urls erase-visits': [
    'shorty urls erase-visits spring-sale',
    'shorty urls erase-visits 41 42 --yes',
  ],
  'urls clicks': [
    'shorty urls clicks spring-sale --since 7d',
    'shorty urls clicks 42 --since 24h --group-by hour --watch',
    'shorty urls clicks 42 --output csv',
  ],
  'urls export': [
    'shorty urls export --out links.csv',
    'shorty urls export --tag spring --output ndjson',
  ],
  'tags list': ['shorty tags list --sort linkCount', 'shorty tags list --search spring --all'],
  'tags rename': ['shorty tags rename lanch launch', 'shorty tags rename "Q1/mail" "Q1 mail"'],
  'tags delete': ['shorty tags delete old', 'shorty tags delete old older --dry-run'],
  'qr create': [
    'shorty qr create --url-id 42 --format svg --out poster.svg',
    "shorty qr create --data 'WIFI:T:WPA;S:Guests;P:open sesame;;'",
  ],
  'qr list': ['shorty qr list --url-id 42', 'shorty qr list --all --output csv'],
  'qr get': [`shorty qr get ${uuid}`],
  'qr update': [`shorty qr update ${uuid} --size 640 --no-logo`],
  'qr delete': [`shorty qr delete ${uuid}`],
  'qr export': [
    'shorty qr export --all --out codes',
    'shorty qr export --url-id 42 --format svg --out codes',
  ],
  'qr scans': [`shorty qr scans ${uuid} --since 7d`],
  'webhooks create': [
    'shorty webhooks create https://example.com/hook --event url.created',
    "shorty webhooks create https://example.com/hook --event '*,url.clicked'",
    'shorty webhooks create https://example.com/hook --all-events --tag spring',
    'shorty webhooks create https://example.com/hook --all-events \\\n  --header Authorization=env:CRM_TOKEN',
  ],
  'webhooks list': ['shorty webhooks list'],
  'webhooks get': [`shorty webhooks get ${uuid}`],
  'webhooks update': [
    `shorty webhooks update ${uuid} --inactive`,
    `shorty webhooks update ${uuid} --tag spring`,
    `shorty webhooks update ${uuid} --clear filters`,
  ],
  'webhooks delete': [`shorty webhooks delete ${uuid}`],
  'webhooks deliveries': [
    `shorty webhooks deliveries ${uuid}`,
    `shorty webhooks deliveries ${uuid} \\\n  --status failed --since 24h`,
  ],
  'webhooks stats': [
    `shorty webhooks stats ${uuid}`,
    `shorty webhooks stats ${uuid} \\\n  --since 24h --group-by hour --watch`,
  ],
  'webhooks replay': [`shorty webhooks replay ${uuid} \\\n  ${uuid.replace('0192', '0193')}`],
  'webhooks recover': [`shorty webhooks recover ${uuid} --since 2h`],
  'webhooks event-types': [
    'shorty webhooks event-types',
    'shorty webhooks event-types url.clicked',
    'shorty webhooks event-types url.clicked --json',
  ],
  'webhooks test': [`shorty webhooks test ${uuid} --type url.created`],
  'webhooks rotate-secret': [
    `shorty webhooks rotate-secret ${uuid}`,
    `shorty webhooks rotate-secret ${uuid} \\\n  --expire-old-after 0`,
  ],
  'webhooks trigger': [
    'shorty webhooks trigger url.created --forward-to http://localhost:3000/hooks',
  ],
  'webhooks listen': [
    'shorty webhooks listen --forward-to http://localhost:3000/hooks',
    'shorty webhooks listen --forward-to http://localhost:3000/hooks \\\n  --events url.created,url.updated',
  ],
  'webhooks verify': [
    "shorty webhooks verify body.json -H 'X-Service-Timestamp: 1924992000' \\\n  -H 'X-Service-Signature: sha256=9f86d081884c7d65'",
  ],
  'domains create': ['shorty domains create go.example.com'],
  'domains list': ['shorty domains list --pending'],
  'domains get': [`shorty domains get ${uuid}`],
  'domains update': ['shorty domains update go.example.com --ignore-case'],
  'domains verify': [`shorty domains verify ${uuid} --wait`],
  'domains delete': [`shorty domains delete ${uuid}`],
  'analytics overview': [
    'shorty analytics overview --since 7d',
    'shorty analytics overview --watch 60',
  ],
  'analytics report': [
    'shorty analytics report --since 7d --group-by hour',
    'shorty analytics report 42 --output html --out report.html',
  ],
  'analytics tail': [
    'shorty analytics tail',
    'shorty analytics tail --link spring-sale --output ndjson > visits.ndjson',
  ],
  'urls visits': [
    'shorty urls visits --since 2030-11-01 > visits.ndjson',
    'shorty urls visits --since 7d --tag launch --out visits.ndjson',
  ],
  'keys create': [
    'shorty keys create "deploy script" --scopes "urls:read urls:write"',
    'shorty keys create "CI" --expires-at 2031-01-01 --json',
  ],
  'keys list': ['shorty keys list'],
  'keys revoke': [`shorty keys revoke ${uuid}`],
  'organization get': ['shorty organization get'],
  'organization update': [
    'shorty organization update --exclude-address 203.0.113.0/24',
    'shorty organization update --clear excludeAddresses',
  ],
  usage: ['shorty usage', 'shorty usage --period 2026-10 --output csv'],
  api: [
    'shorty api GET urls -f tag=spring --paginate',
    "shorty api GET urls/42/clicks --jq '.totals.totalClicks'",
    'shorty api PATCH urls/42 -f title="Autumn sale" -f isActive:=false',
  ],
  browse: ['shorty browse', 'shorty browse spring'],
  open: ['shorty open spring-sale', 'shorty open 42 --target', 'shorty open 42 --print'],
  mcp: ['shorty mcp', 'shorty mcp --write', 'shorty mcp --profile work'],
  completion: [
    "echo 'source <(shorty completion bash)' >> ~/.bashrc",
    "echo 'source <(shorty completion zsh)' >> ~/.zshrc",
    'shorty completion fish > ~/.config/fish/completions/shorty.fish',
  ],
};
