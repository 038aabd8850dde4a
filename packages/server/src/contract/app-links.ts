/** The limit of each document, in bytes of JSON. Every list of domains contains them. */
export const maxAppLinksBytes = 16_384;

/** A value that JSON can have. */
type Json = unknown;

interface Fault {
  readonly path: string;
  readonly message: string;
}

const appId = /^[A-Z0-9]{10}\.[A-Za-z0-9.-]{1,155}$/;
const fingerprint = /^(?:[0-9A-F]{2}:){31}[0-9A-F]{2}$/;
const packageName = /^[A-Za-z]\w*(?:\.[A-Za-z]\w*)+$/;
const services = ['applinks', 'webcredentials', 'appclips', 'activitycontinuation'];

/**
 * Returns what is wrong with an apple-app-site-association file, or undefined. Further fields are
 * allowed, because Apple adds some.
 */
export function findAppleAppSiteAssociationFault(document: Json): Fault | undefined {
  if (!isObject(document)) return fault('', 'must be a JSON object');
  if (!services.some((service) => Object.hasOwn(document, service))) {
    return fault('', `must have one of ${services.join(', ')}`);
  }
  for (const service of services) {
    if (!Object.hasOwn(document, service)) continue;
    const value = document[service];
    if (!isObject(value)) return fault(service, 'must be a JSON object');
    const found = service === 'applinks' ? findDetailsFault(value) : findAppsFault(service, value);
    if (found) return found;
  }
  return findSizeFault(document);
}

function findDetailsFault({ details }: Readonly<Record<string, Json>>): Fault | undefined {
  if (!Array.isArray(details)) return fault('applinks.details', 'must be a list');
  for (const [index, each] of details.entries()) {
    const path = `applinks.details[${index}]`;
    if (!isObject(each)) return fault(path, 'must be a JSON object');
    const ids = each.appIDs ?? (each.appID === undefined ? undefined : [each.appID]);
    const name = each.appIDs === undefined ? 'appID' : 'appIDs';
    if (!isListOf(ids, isAppId)) return fault(`${path}.${name}`, appIdRule);
    const { components = [], paths = [] } = each;
    if (!isListOf(components, isObject)) {
      return fault(`${path}.components`, 'must be a list of objects');
    }
    if (!isListOf(paths, isText)) return fault(`${path}.paths`, 'must be a list of texts');
  }
  return undefined;
}

function findAppsFault(service: string, value: Readonly<Record<string, Json>>): Fault | undefined {
  return isListOf(value.apps, isAppId) ? undefined : fault(`${service}.apps`, appIdRule);
}

/** Returns what is wrong with an assetlinks.json file (Digital Asset Links), or undefined. */
export function findAssetLinksFault(document: Json): Fault | undefined {
  if (!Array.isArray(document)) return fault('', 'must be a JSON list of statements');
  for (const [index, each] of document.entries()) {
    const found = findStatementFault(`[${index}]`, each);
    if (found) return found;
  }
  return findSizeFault(document);
}

function findStatementFault(path: string, statement: Json): Fault | undefined {
  if (!isObject(statement)) return fault(path, 'must be a JSON object');
  if (isText(statement.include)) return undefined;
  const { relation, target } = statement;
  if (!isListOf(relation, isText) || relation.length === 0) {
    return fault(
      `${path}.relation`,
      'must be a list of relations, such as delegate_permission/common.handle_all_urls',
    );
  }
  if (!isObject(target)) return fault(`${path}.target`, 'must be a JSON object');
  if (target.namespace === 'web') {
    return isText(target.site) ? undefined : fault(`${path}.target.site`, 'must be an origin');
  }
  if (target.namespace !== 'android_app') {
    return fault(`${path}.target.namespace`, 'must be android_app or web');
  }
  if (!isText(target.package_name) || !packageName.test(target.package_name)) {
    return fault(`${path}.target.package_name`, 'must be a package name, such as com.example.app');
  }
  const prints = target.sha256_cert_fingerprints;
  if (isListOf(prints, isFingerprint) && prints.length > 0) return undefined;
  return fault(
    `${path}.target.sha256_cert_fingerprints`,
    'must be a list of SHA-256 fingerprints: 32 upper-case hexadecimal bytes, separated by colons',
  );
}

function findSizeFault(document: Json): Fault | undefined {
  const bytes = Buffer.byteLength(JSON.stringify(document));
  if (bytes <= maxAppLinksBytes) return undefined;
  return fault('', `must be at most ${maxAppLinksBytes} bytes of JSON, and has ${bytes}`);
}

const appIdRule =
  'must have app ids, such as ABCDE12345.com.example.app: the team id, a dot and the bundle id';

function fault(path: string, message: string): Fault {
  return { path, message };
}

function isObject(value: Json): value is Readonly<Record<string, Json>> {
  return typeof value === 'object' && value !== null && !Array.isArray(value);
}

function isText(value: Json): value is string {
  return typeof value === 'string' && value !== '';
}

function isAppId(value: Json): value is string {
  return isText(value) && appId.test(value);
}

function isFingerprint(value: Json): value is string {
  return isText(value) && fingerprint.test(value);
}

function isListOf<Item>(value: Json, isItem: (item: Json) => item is Item): value is Item[] {
  return Array.isArray(value) && value.every(isItem);
}
