import type { Generated } from 'kysely';
import { baselineTables, compositeKeys } from './migrations/baseline-tables.js';

/** The tables after the latest migration, the same on every engine. */
export const tables = {
  ...baselineTables,
  organizations: {
    ...baselineTables.organizations,
    /** Null unless the operator suspended the organization. */
    suspended_at: 'bigint',
    /** Set while the organization is being deleted. The row is deleted last. */
    deletion_started_at: 'bigint',
    /** Addresses and CIDR ranges whose visits do not count, separated by commas. */
    exclude_addresses: "text not null default ''",
    /**
     * The visits from this instant on are in `organization_chunks`, or still in batches. It may be
     * increased at any time, because `visit_chunks` and `click_days` have all visits.
     */
    chunks_complete_from: 'bigint not null default 0',
  },
  /** Visits in the order of arrival: a row for each shard and transfer from a journal. */
  visit_batches: {
    ...baselineTables.visit_batches,
    /** The shard of the organizations whose visits it has; `mixedShard` for any organizations. */
    shard: 'integer not null default 0',
    /** 1 while its visits are still to be copied into `queued_clicks`. */
    to_copy: 'integer not null default 0',
  },
  /**
   * Lines of journals that wait until other transactions release the rows of the organization. They
   * count as if they were still in the journal.
   */
  deferred_visits: {
    /** The writer of the journal, the position after its lines, and the organization. */
    id: 'text primary key',
    /** The name of the journal, whose leases the lines use. */
    writer_id: 'text not null',
    /** Not a reference, which would lock the row of the organization. */
    organization_id: 'text not null',
    created_at: 'bigint not null',
    lines: 'text not null',
  },
  /** The progress of the running compaction of each shard. */
  visit_compactions: {
    shard: 'rowId primary key',
    /** The batches that it moves, as a JSON array. */
    batch_ids: 'text not null',
    /** The visits of all URLs below this one are in `visit_chunks`. */
    next_url: 'bigint not null',
    /** The visits of all organizations before this one are in `organization_chunks`. */
    next_organization: 'text not null',
    /** The number of visits of that organization which are in `organization_chunks`. */
    next_visit: 'bigint not null',
  },
  /**
   * The visits of an organization in the order of their storage, as a copy of `visit_chunks` for
   * overviews. Only the last chunk gets further visits.
   */
  organization_chunks: {
    organization_id: 'text not null',
    number: 'integer not null',
    /** The times of the earliest and the latest visit. */
    first_at: 'bigint not null',
    last_at: 'bigint not null',
    visit_count: 'integer not null',
    /** Encoded columns. */
    visits: 'bytes not null',
    machines_from: 'bigint not null default 0',
  },
  /** What overviews have counted in chunks of an organization, so that the first one after a start continues. */
  overview_counts: {
    organization_id: 'text not null',
    /** The hash of the time zone, the buckets and the rough length of the window. */
    counts_key: 'text not null',
    /** When it was written. Only the newest complete one is read. */
    generation: 'bigint not null',
    /** The header is 0, and is written last. */
    part: 'integer not null',
    /** The time of the earliest visit that is counted. */
    first_at: 'bigint not null',
    content: 'bytes not null',
  },
  visit_chunks: {
    ...baselineTables.visit_chunks,
    /**
     * The time of the earliest visit that does not count; `noMachines` without one. It is 0 in chunks
     * that an earlier version stored.
     */
    machines_from: 'bigint not null default 0',
  },
  clients: {
    ...baselineTables.clients,
    /** What the client is for. */
    name: 'text',
    expires_at: 'bigint',
  },
  /** The links that the operator took down. */
  takedowns: {
    /** The id of the link. */
    id: 'rowId primary key references urls (id)',
    reason: 'text not null',
    created_at: 'bigint not null',
  },
  /** The keys under which stored secrets may be encrypted. */
  secret_keys: {
    /** Derived from the key. */
    id: 'text primary key',
    /** A known text, encrypted under the key. */
    check_value: 'text not null',
    /** When a server began to encrypt under the key, or confirmed it; 0 while `secrets rotate` asks. */
    created_at: 'bigint not null',
  },
  /** The periods of the visitor keys. */
  visitor_keys: {
    starts_at: 'bigint primary key',
    /** A random text, from which the keys are derived; null once the period is past. */
    value: 'text',
  },
  /** Reports of links by visitors, for the operator. The link need not exist. */
  abuse_reports: {
    id: 'text primary key',
    short_url: 'text not null',
    /** The domain and the key of the short URL, as in `url_keys`. */
    domain_key: 'text not null',
    key: 'text not null',
    reason: 'text not null',
    comment: 'text',
    email: 'text',
    /** A keyed hash of the reporter's address. */
    reporter: 'text not null',
    created_at: 'bigint not null',
    resolved_at: 'bigint',
    /** `dismissed` or `takenDown`; null before. */
    resolution: 'text',
  },
  /** Whether links may lead to a host and its subdomains. */
  host_rules: {
    /** The hostname, or `*` for all. */
    id: 'text primary key',
    reason: 'text not null',
    created_at: 'bigint not null',
    /** `block` or `allow`. */
    rule: "text not null default 'block'",
  },
  /** The short codes and slugs of erased links, and those of deleted organizations on the platform's domain. */
  retired_keys: {
    /** 53 bits of the SHA-256 of the key and its domain. */
    key_hash: 'rowId primary key',
    /** The organization of the link. Only the export of a deleted one can take the key again. */
    organization_id: 'text not null',
    /** The erased link, until nothing of it is stored. */
    url_id: 'bigint',
  },
  /**
   * Who changed what. A row is only updated by the write that made it, and only deleted when it is too
   * old, or with its organization.
   */
  audit_log: {
    created_at: 'bigint not null',
    id: 'text not null',
    /** The owner of the record; null for records of the operator. Not a reference: rows outlive it. */
    organization_id: 'text',
    actor_type: 'text not null',
    /** The id of a client or an API key. */
    actor_id: 'text',
    address: 'text',
    /** The operationId of the contract. */
    operation: 'text not null',
    resource_type: 'text not null',
    /** Null for a write of several records. */
    resource_id: 'text',
    /** The number of changed records. */
    item_count: 'integer not null',
    /** The names of the changed fields, separated by commas. */
    fields: 'text',
  },
  /** One row. Its version increases with each change that affects any number of links. */
  link_policy: {
    version: 'bigint not null',
    /** The number of links that were erased. */
    erasures: 'bigint not null default 0',
  },
  urls: {
    ...baselineTables.urls,
    /** The clicks that another link shortener counted. */
    imported_clicks: 'bigint not null default 0',
    /** The link's own click thresholds, as JSON; null for those of the server. */
    click_thresholds: 'text',
    /** Whether visits forward their query and path; null for the setting of the domain. */
    forward_query: 'integer',
    forward_path: 'integer',
    /** Before it, the link is like one that does not exist. */
    activates_at: 'bigint',
    /** Where visitors are sent when the link has expired or its clicks are used up. */
    expired_url: 'text',
    /** When a DELETE made the link inactive; null for a link that is active, paused or expired. */
    deleted_at: 'bigint',
    /** How many clicks the link redirects in all. */
    max_clicks: 'bigint',
    /** The id that another system gives the link; unique in its organization. */
    external_id: 'text',
    /** Other targets for some visits, as JSON; null for none. */
    rules: 'text',
    /** What link previews show: `auto`, or JSON; null for the target itself. */
    preview: 'text',
    /** The outcome of reading the target for `auto`, as JSON; null before the first attempt. */
    preview_fetch: 'text',
    /** The result of `settingsHashOf`, by which links that redirect alike are found. */
    settings_hash: 'bigint not null default 0',
    /** When the target is to be read; null if it need not be. A server that reads it sets a later time. */
    preview_due_at: 'bigint',
  },
  domains: {
    ...baselineTables.domains,
    root_url: 'text',
    not_found_url: 'text',
    expired_url: 'text',
    ignore_case: 'integer not null default 0',
    forward_query: 'integer not null default 0',
    forward_path: 'integer not null default 0',
    /** JSON documents of apps, as they are served. */
    apple_app_site_association: 'text',
    asset_links: 'text',
    /** The version of the settings. */
    updated_at: 'bigint not null default 0',
  },
  qr_codes: {
    ...baselineTables.qr_codes,
    /** The width of the quiet zone in modules. */
    margin: 'integer not null default 4',
    /** `solid` or `transparent`. */
    background: "text not null default 'solid'",
  },
  url_clicks: {
    ...baselineTables.url_clicks,
    /** Null if this column is newer than the last click. */
    last_clicked_at: 'bigint',
    /** Visits up to this millisecond are erased, also those that are still in journals. */
    erased_until: 'bigint not null default 0',
    /** 1 while stored visits are still to be erased. */
    erasure_pending: 'integer not null default 0',
    /** The greatest number of clicks before an erasure. Its thresholds are not sent again. */
    peak_clicks: 'bigint not null default 0',
    /** The clicks that erasures removed from `clicks`. They count for `urls.max_clicks`. */
    erased_clicks: 'bigint not null default 0',
  },
  qr_counts: {
    ...baselineTables.qr_counts,
    /** The greatest number of scans before an erasure of the link's visits. */
    peak_scans: 'bigint not null default 0',
  },
  events: {
    ...baselineTables.events,
    /** The webhooks, as JSON, whose deliveries are still to be written. */
    webhook_ids: 'text',
    /** The link, its domain and its tags at the time of the event, for filters. */
    url_id: 'bigint',
    domain_id: 'text',
    /** In the form of `urls.tags`. */
    tags: 'text',
  },
  webhooks: {
    ...baselineTables.webhooks,
    description: 'text',
    /** JSON of the tags, domains and links whose events are delivered; null for all. */
    filters: 'text',
    /** JSON of further headers of each delivery, by name; null for none. */
    headers: 'text',
    /**
     * When the owner removed event types or changed filters. Null when the pending deliveries that
     * they excluded have ended.
     */
    unsubscribed_at: 'bigint',
    /** Replaced before `previous_secret`. Also signs deliveries, until `oldest_secret_expires_at`. */
    oldest_secret: 'text',
    oldest_secret_expires_at: 'bigint',
    /** When a webhook stream is deleted unless it is read again; null for a webhook with a receiver. */
    expires_at: 'bigint',
    /** The connection that reads the stream. A newer one replaces it. */
    connection_id: 'text',
    /** The dispatcher that sends the deliveries, until `leased_until` by the database's clock. */
    leased_by: 'text',
    leased_until: 'bigint',
  },
  deliveries: {
    ...baselineTables.deliveries,
    /** That of the event. Empty only if a node of an earlier version wrote the row. */
    event_type: "text not null default ''",
    /** The link that the event is about. */
    url_id: 'bigint',
  },
  api_keys: {
    id: 'text primary key',
    organization_id: 'text not null references organizations (id)',
    name: 'text not null',
    /** The SHA-256 of the key, which has 256 random bits. */
    key_hash: 'text not null',
    /** The first characters of the key, for people. */
    key_start: 'text not null',
    /** Separated by spaces. */
    scopes: 'text not null',
    /** The id of the client that created it. */
    created_by: 'text not null',
    created_at: 'bigint not null',
    expires_at: 'bigint',
    last_used_at: 'bigint',
  },
  /**
   * The clicks of links with `max_clicks` that a process may redirect, or has redirected and that are not
   * in storage yet.
   */
  click_leases: {
    url_id: 'bigint not null',
    /** The name of the process's journal. */
    writer_id: 'text not null',
    clicks: 'bigint not null',
    /** The last change by the process, which thereby finds out whether it was committed. */
    change_id: 'text not null',
    /** The clicks that this change added. */
    granted: 'bigint not null',
    updated_at: 'bigint not null',
  },
  /** A row with the id 1 while a webhook wants visits, which are copied into the queues below. */
  click_feed: { id: 'rowId primary key' },
  /** The state of the visits that wait for a webhook. */
  click_queues: {
    webhook_id: 'text primary key references webhooks (id)',
    /** The number of visits in `queued_clicks`. */
    waiting: 'bigint not null',
    /** The number of visits that were deleted since the last event, because too many waited. */
    omitted: 'bigint not null',
    /** When the next event may be written. */
    next_at: 'bigint not null',
    last_delivery_id: 'text',
  },
  /** The visits that wait for a webhook: a row for each batch of `visit_batches` that has some. */
  queued_clicks: {
    webhook_id: 'text not null references webhooks (id)',
    batch_id: 'bigint not null',
    visit_count: 'integer not null',
    /** A line of JSON for each visit. */
    visits: 'text not null',
  },
  /** The jobs that deliver the events of a time range again. */
  webhook_replays: {
    id: 'text primary key',
    organization_id: 'text not null references organizations (id)',
    webhook_id: 'text not null references webhooks (id)',
    state: 'text not null',
    /** The range of the deliveries' `created_at`; `until` is exclusive. */
    since: 'bigint not null',
    until: 'bigint not null',
    status: 'text not null',
    /** JSON; null for all types. */
    event_types: 'text',
    /** The deliveries that matched at the start. */
    total: 'bigint not null',
    processed: 'bigint not null',
    created: 'bigint not null',
    /** The position: `created_at` and `id` of the last delivery that was read. */
    last_created_at: 'bigint not null',
    last_id: 'text not null',
    created_at: 'bigint not null',
    finished_at: 'bigint',
  },
  /** Hourly sums of the attempts of each webhook, for its statistics. */
  attempt_counts: {
    webhook_id: 'text not null references webhooks (id)',
    /** The start of the hour. */
    hour: 'bigint not null',
    /** `success`, or the cause of the failure. */
    outcome: 'text not null',
    /** The duration of the attempts, rounded to one of about 50 values. */
    duration_ms: 'bigint not null',
    attempts: 'bigint not null',
    /** The attempts that were the last of their delivery and failed. */
    exhausted: 'bigint not null',
    /** The time of the latest attempt. */
    last_at: 'bigint not null',
  },
} as const;

/** The tables for queries. */
export type Schema = { [Table in keyof typeof tables]: RowOf<(typeof tables)[Table]> };

/**
 * A row of a table in Kysely's terms. A column is defined in SQL by its type and constraints. Its value
 * may be null unless it is `not null` or a key, and inserts may omit it if it has a default.
 */
type RowOf<Columns> = { -readonly [Name in keyof Columns]: ValueOf<Columns[Name]> };

type ValueOf<Definition> = Definition extends 'generatedId' | `${string} default ${string}`
  ? Generated<TypeOf<Definition>>
  : TypeOf<Definition> | NullOf<Definition>;

type NullOf<Definition> = Definition extends `${string} ${'not null' | 'primary key'}${string}`
  ? never
  : null;

type TypeOf<Definition> = Definition extends `text${string}` ? string : BytesOrNumber<Definition>;
type BytesOrNumber<Definition> = Definition extends `bytes${string}` ? Uint8Array : number;

/** Returns the columns that order the rows of a table: its primary key, if it has one. */
export function keyOf(table: keyof Schema): readonly string[] {
  return compositeKeys[table] ?? Object.keys(tables[table]).slice(0, 1);
}
