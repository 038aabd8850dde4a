import { notFound, quotaError, shorten, validationError } from '../contract/api-error.js';
import type { PageRange } from '../contract/fields.js';
import type { PageText } from '../contract/json-text.js';
import type { HandlersOf } from '../http/handlers.js';
import { openPage } from '../http/open-page.js';
import type { WriteRequest } from '../idempotency/with-idempotency-key.js';
import type { Clock } from '../ports.js';
import { operatorOwner } from '../storage/database.js';
import { type hostRuleRoutes, maxHostRules } from './host-rule-contract.js';
import type { HostRuleRepository } from './host-rule-repository.js';
import { everyHost, type HostRule } from './host-rules.js';
import { type RuledHostRecord, toRuledHostRecord } from './present-takedown.js';

export interface HostRuleHandlerOptions {
  readonly hostRules: HostRuleRepository;
  readonly listHostRules: (
    owner: string,
    rule: HostRule,
    range: PageRange,
  ) => Promise<PageText<RuledHostRecord>>;
  readonly clock: Clock;
  /** Called after a change of the rules, before the response. */
  readonly onHostsChanged: () => Promise<void>;
}

const names = { block: 'blocked host', allow: 'allowed host' } as const;

/** Sets and lists the rules of hosts, for the operator. */
export function hostRuleHandlers({
  hostRules,
  listHostRules,
  clock,
  onHostsChanged,
}: HostRuleHandlerOptions): HandlersOf<typeof hostRuleRoutes> {
  async function set(
    rule: HostRule,
    body: { readonly host: string; readonly reason: string; readonly publicSuffix: boolean },
    write: WriteRequest | undefined,
  ) {
    const { host, publicSuffix } = body;
    if (rule === 'allow' && host === everyHost) {
      const message = '"*" cannot be allowed: without a rule, every host is allowed';
      throw validationError([{ path: 'host', message }]);
    }
    // The list of suffixes takes a megabyte, and only operators need it.
    const { isPublicSuffix } = await import('./public-suffix.js');
    if (!publicSuffix && host !== everyHost && isPublicSuffix(host)) {
      const message = `${JSON.stringify(shorten(host))} is a public suffix, below which anybody can get a name: name the host, or send publicSuffix: true for all of them`;
      throw validationError([{ path: 'host', message }]);
    }
    const { result, replayed } = await hostRules.set(rule, body, clock(), write);
    if (!result) {
      const use = `At most ${maxHostRules} hosts have rules, and ${maxHostRules} do`;
      throw quotaError(use, 'Delete a rule first', replayed);
    }
    await onHostsChanged();
    return { status: 201, replayed, data: toRuledHostRecord(result) } as const;
  }

  async function remove(rule: HostRule, host: string, write: WriteRequest | undefined) {
    const { result, replayed } = await hostRules.delete(rule, host, write);
    if (!result) throw notFound(names[rule], host, replayed);
    await onHostsChanged();
    return { status: 200, replayed, data: toRuledHostRecord(result) } as const;
  }

  async function list(rule: HostRule, query: Parameters<typeof openPage>[1]) {
    const list = { name: `${names[rule]}s`, organizationId: operatorOwner, ids: 'text' } as const;
    const { filter, reply } = openPage(list, query);
    return reply(await listHostRules(operatorOwner, rule, filter));
  }

  return {
    blockHost: ({ body, write }) => set('block', body, write),
    listBlockedHosts: ({ query }) => list('block', query),
    unblockHost: ({ params, write }) => remove('block', params.host, write),
    allowHost: ({ body, write }) => set('allow', body, write),
    listAllowedHosts: ({ query }) => list('allow', query),
    disallowHost: ({ params, write }) => remove('allow', params.host, write),
  };
}
