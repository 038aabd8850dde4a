/**
 * A table. Columns are defined in SQL, with types that both engines know, or with those that
 * `migrations/0001-baseline.ts` translates: `text`, `bytes`, `rowId`, `generatedId`, and `secret` for
 * encrypted text (`secrets.ts`). Instants are milliseconds since 1970, flags are 0 or 1, lists and maps
 * are JSON text.
 */
export interface TableDefinition {
  /**
   * The column by which its rows belong to those of another table, and are deleted with them. By default,
   * rows with an `organization_id` belong to the organization.
   */
  readonly owner?: { readonly column: string; readonly parent: string };
  /** Why its rows belong to no organization. A table but `organizations` has this or an owner. */
  readonly shared?: string;
  /** Whether the export of an organization has its rows. */
  readonly isExported?: true;
  /** The columns that an export has not: they concern one server, or the import computes them. */
  readonly unexported?: readonly string[];
  /** Why a move to PostgreSQL does not copy its rows. */
  readonly unmoved?: string;
  readonly columns: Readonly<Record<string, string>>;
  /** The primary key of several columns. Other tables have one column, their first, or none. */
  readonly key?: readonly string[];
  /** Whether SQLite stores the rows in the index of the key: for rows that are read by ranges. */
  readonly isClustered?: true;
  /** By name, what follows \`create index … on …\`; \`unique\` comes first. */
  readonly indexes?: Readonly<Record<string, string>>;
}

/** Defines several columns alike. */
function each<Definition extends string, Name extends string>(
  definition: Definition,
  ...names: Name[]
): Record<Name, Definition> {
  return Object.fromEntries(names.map((name) => [name, definition])) as Record<Name, Definition>;
}

/** The first columns of the records of an organization. */
const ofOrganization = {
  id: 'text primary key',
  organization_id: 'text not null references organizations (id)',
  created_at: 'bigint not null',
} as const;

/**
 * All tables, referenced ones first, except those of nodes (`postgres/node-tables.ts`). `schema.ts`
 * derives types, keys and owners, and the baseline the statements that create them.
 */
export const tables = {
  organizations: {
    isExported: true,
    unexported: ['deletion_started_at', 'import_leased_until'],
    columns: {
      id: 'text primary key',
      ...each('text not null', 'name', 'plan'),
      active_urls: 'bigint not null default 0', // The number of active links, which the plan limits
      created_at: 'bigint not null',
      suspended_at: 'bigint', // Null unless the operator suspended the organization
      /** Set while the organization is being deleted. The row is deleted last. */
      deletion_started_at: 'bigint',
      /**
       * Set while the organization is imported, which each batch of the import postpones: it is suspended
       * and marked as deleted meanwhile, and is deleted after this instant.
       */
      import_leased_until: 'bigint',
      /** Addresses and CIDR ranges whose visits do not count, separated by commas. */
      exclude_addresses: "text not null default ''",
      /** The visits before this instant may be deleted, because they are old. Counters include them. */
      visits_deleted_until: 'bigint not null default 0',
    },
    indexes: {
      organizations_by_age: '(created_at, id)',
      organizations_to_delete: '(deletion_started_at) where deletion_started_at is not null',
    },
  },
  /** The plan changes of the organizations. */
  plan_changes: {
    isExported: true,
    columns: {
      organization_id: 'text not null references organizations (id)',
      changed_at: 'bigint not null',
      plan_before: 'text not null',
    },
    key: ['organization_id', 'changed_at'],
    isClustered: true,
  },
  usage_meters: {
    isExported: true,
    columns: {
      organization_id: 'text not null references organizations (id)',
      month: 'text not null', // `2030-01`, in UTC
      meter: 'text not null',
      used: 'bigint not null',
    },
    key: ['organization_id', 'month', 'meter'],
    isClustered: true,
  },
  clients: {
    isExported: true,
    columns: {
      ...ofOrganization,
      secret_hash: 'text not null',
      scopes: 'text not null', // Separated by spaces
      revoked_at: 'bigint',
      name: 'text', // What the client is for
    },
    indexes: { clients_by_organization: '(organization_id, created_at, id)' },
  },
  api_keys: {
    isExported: true,
    columns: {
      ...ofOrganization,
      name: 'text not null',
      key_hash: 'text not null', // The SHA-256 of the key, which has 256 random bits
      key_start: 'text not null', // The first characters of the key, for people
      scopes: 'text not null', // Separated by spaces
      /** The domain to whose links it is restricted. The key remains when the domain is deleted. */
      domain_id: 'text',
      /** 1: it is restricted to the links that it creates. */
      only_own_links: 'integer not null default 0',
      created_by: 'text not null', // The id of the client or the person that created it
      ...each('bigint', 'expires_at', 'last_used_at'),
    },
    indexes: {
      api_keys_by_hash: 'unique (key_hash)',
      api_keys_by_organization: '(organization_id, created_at, id)',
    },
  },
  /** The people who sign in. */
  users: {
    isExported: true,
    unexported: ['invitation_hash', 'invitation_expires_at'],
    columns: {
      ...ofOrganization,
      /** In lower case. Null until the person has accepted an invitation without an address. */
      email: 'text',
      role: 'text not null',
      password_hash: 'text', // Argon2; null until the person has accepted the invitation
      last_signed_in_at: 'bigint',
      /** The issuer and the subject of OpenID Connect; null for people who have a password only. */
      ...each('text', 'oidc_issuer', 'oidc_subject'),
      /** Set for a removed person with such an identity, who cannot come back by it. */
      removed_at: 'bigint',
      /** The SHA-256 of the token of the last link by which the person can set a password. */
      invitation_hash: 'text',
      invitation_expires_at: 'bigint',
    },
    indexes: {
      users_by_email: 'unique (email)',
      users_by_identity: 'unique (oidc_issuer, oidc_subject)',
      users_by_invitation: '(invitation_hash) where invitation_hash is not null',
      users_by_organization: '(organization_id, created_at, id) where removed_at is null',
      users_by_owner: '(organization_id, id)',
    },
  },
  sessions: {
    owner: { column: 'user_id', parent: 'users' },
    columns: {
      token_hash: 'text primary key',
      user_id: 'text not null references users (id)',
      ...each('bigint not null', 'created_at', 'expires_at'),
    },
    indexes: { sessions_by_user: '(user_id)', sessions_by_expiry: '(expires_at)' },
  },
  access_tokens: {
    owner: { column: 'client_id', parent: 'clients' },
    columns: {
      token_hash: 'text primary key',
      client_id: 'text not null references clients (id)',
      scopes: 'text not null',
      ...each('bigint not null', 'created_at', 'expires_at'),
    },
    indexes: {
      access_tokens_by_client: '(client_id)',
      access_tokens_by_expiry: '(expires_at)',
    },
  },
  idempotency_keys: {
    columns: {
      ...each('text not null', 'organization_id', 'key'),
      /** A hash of the request's method, path and body, with the caller's id if the result has a secret. */
      fingerprint: 'text not null',
      result: 'secret not null', // Encrypted only if it contains a secret
      created_at: 'bigint not null',
    },
    key: ['organization_id', 'key'],
    indexes: { idempotency_keys_by_age: '(created_at)' },
  },
  domains: {
    isExported: true,
    columns: {
      ...ofOrganization,
      hostname: 'text not null',
      is_active: 'integer not null',
      challenge: "text not null default ''", // The required text of the TXT record
      /** The first verification. Once it is set, the hostname serves only this domain's links. */
      verified_at: 'bigint',
      last_checked_at: 'bigint',
      /** The row stays for its links, and is reused when the organization adds the hostname again. */
      deleted_at: 'bigint',
      ...each('text', 'last_error', 'root_url', 'not_found_url', 'expired_url'),
      ...each('integer not null default 0', 'ignore_case', 'forward_query', 'forward_path'),
      /** JSON documents of apps, as they are served. */
      ...each('text', 'apple_app_site_association', 'asset_links'),
      updated_at: 'bigint not null default 0', // The version of the settings
    },
    indexes: {
      // Among several organizations that added a hostname, only one can have it active.
      domains_active_hostname: 'unique (hostname) where is_active = 1',
      domains_by_hostname: '(hostname) where verified_at is not null',
      domains_live: '(organization_id, created_at, id) where deleted_at is null',
      domains_of_organization: 'unique (organization_id, hostname)',
    },
  },
  events: {
    columns: {
      id: 'text primary key',
      ...each('text not null', 'organization_id', 'type'),
      body: 'text not null', // The body of every attempt of every delivery
      created_at: 'bigint not null',
      /** The place in the order of commits of the organization's events, from 1; null for test events. */
      sequence: 'bigint',
      /** The link, its domain and its tags at the time of the event, for filters. */
      url_id: 'bigint',
      ...each('text', 'domain_id', 'tags'),
    },
    indexes: {
      events_by_sequence: 'unique (organization_id, sequence)',
      events_by_type: '(organization_id, type, sequence)',
      events_by_age: '(created_at)',
      events_of_clicks: "(created_at) where type = 'url.clicked'",
    },
  },
  /** Numbers the events of an organization. */
  event_counters: {
    columns: {
      organization_id: 'text primary key references organizations (id)',
      last: 'bigint not null', // The number of the last event
    },
    isClustered: true,
  },
  webhooks: {
    isExported: true,
    columns: {
      ...ofOrganization,
      ...each('text not null', 'url', 'events'),
      /** JSON of `WebhookSecrets`: the current secret, and the one that it has replaced. */
      secret: 'secret not null',
      is_active: 'integer not null',
      updated_at: 'bigint not null',
      deleted_at: 'bigint', // The row stays until its deliveries have been removed
      last_success_at: 'bigint',
      /** The first failed attempt since the last success; null after a success. */
      failing_since: 'bigint',
      /** From 0 to 1, weighted towards the newest attempts; null before the first attempt. */
      failure_rate: 'double precision',
      disabled_at: 'bigint', // Set when the server disabled the webhook
      ...each('text', 'disabled_reason', 'description'),
      /** JSON of the tags, domains and links whose events are delivered; null for all. */
      filters: 'text',
      headers: 'secret', // JSON of further headers of each delivery, by name; null for none
    },
    indexes: {
      webhooks_by_organization: '(organization_id, created_at, id) where deleted_at is null',
      webhooks_by_owner: '(organization_id, deleted_at)',
      webhooks_of_clicks: `(id) where replace(events, 'url.clicked', '') <> events and deleted_at is null`,
    },
  },
  url_id_counter: {
    shared: 'one row, for all organizations',
    columns: { last_id: 'bigint not null' },
  },
  urls: {
    isExported: true,
    unexported: ['erased_at', 'search_text', 'settings_hash', 'taken_down_at', 'takedown_reason'],
    columns: {
      id: 'rowId primary key',
      organization_id: 'text not null references organizations (id)',
      domain_id: 'text references domains (id)',
      ...each('text not null', 'short_code', 'target_url', 'tags'),
      ...each('text', 'custom_slug', 'title', 'description', 'category', 'password_hash'),
      ...each('text', 'utm_source', 'utm_medium', 'utm_campaign', 'utm_term', 'utm_content'),
      ...each('text', 'custom_utm_params', 'source_domain'),
      ...each('integer not null', 'redirect_type', 'is_active'),
      expires_at: 'bigint',
      ...each('bigint not null', 'created_at', 'updated_at'),
      created_by: 'text', // The id of the person, the client or the API key
      search_text: "text not null default ''", // The result of `searchTextOf`, which searches read
      /** The clicks that another link shortener counted. */
      imported_clicks: 'bigint not null default 0',
      /** Whether visits forward their query and path; null for the setting of the domain. */
      ...each('integer', 'forward_query', 'forward_path'),
      activates_at: 'bigint', // Before it, the link is like one that does not exist
      /** Where visitors are sent when the link has expired or its clicks are used up. */
      expired_url: 'text',
      /** When a DELETE made the link inactive; null for a link that is active, paused or expired. */
      deleted_at: 'bigint',
      erased_at: 'bigint', // Set while the link is being erased. Its other columns are empty then
      max_clicks: 'bigint', // How many clicks the link redirects in all
      external_id: 'text', // The id that another system gives the link; unique in its organization
      rules: 'text', // Other targets for some visits, as JSON; null for none
      /** When a check found that the resolver of harmful hosts blocks a target; null while it does not. */
      target_blocked_at: 'bigint',
      /** Whether visitors see where the link leads, and its clicks; null for the setting of the server. */
      ...each('integer', 'info_page', 'public_stats'),
      preview: 'text', // What link previews show, as JSON; null for the target itself
      taken_down_at: 'bigint', // When the operator took the link down
      takedown_reason: 'text',
      /** The result of `settingsHashOf`, by which links that redirect alike are found. */
      settings_hash: 'bigint not null default 0',
    },
    indexes: {
      // Counts the links of a domain without reading them.
      urls_by_domain: '(domain_id, is_active) where domain_id is not null',
      urls_by_external_id: 'unique (organization_id, external_id) where external_id is not null',
      // With `deleted_at`, so that the links that are not deleted are counted without reading them.
      urls_by_organization: '(organization_id, created_at, id, deleted_at)',
      urls_by_settings: '(settings_hash, is_active, id) where deleted_at is null',
      // Their key is an expression, so that only counts use these three indexes. Lists read links in the
      // order of `urls_by_organization`.
      urls_expiring:
        "((organization_id || ''), expires_at) where is_active = 1 and expires_at is not null",
      urls_imported: "((organization_id || ''), imported_clicks) where imported_clicks > 0",
      urls_inactive: "((organization_id || '')) where is_active = 0",
      urls_taken_down: '(taken_down_at, id) where taken_down_at is not null',
      urls_to_expire: '(expires_at) where expires_at is not null and is_active = 1',
      urls_with_harmful_targets: '((id + 0)) where target_blocked_at is not null',
    },
  },
  /**
   * Every short code and custom slug that was ever used: one namespace for both, per domain. Rows
   * are deleted with their organization or an erased link, and `retired_keys` then reserves the keys, so that a key
   * never leads to another organization's target.
   */
  url_keys: {
    owner: { column: 'url_id', parent: 'urls' },
    isExported: true,
    columns: {
      domain_key: 'text not null', // The id of a custom domain, or '' for the platform's domain
      key: 'text not null',
      url_id: 'bigint not null references urls (id)',
      folded_key: 'text', // The key in lower case, if the domain ignores case
    },
    key: ['domain_key', 'key'],
    isClustered: true,
    indexes: {
      // The foreign key of each deleted link is checked.
      url_keys_by_url: '(url_id)',
      url_keys_folded: 'unique (domain_key, folded_key) where folded_key is not null',
    },
  },
  /**
   * The click counters, apart from urls, whose rows are wide: a count is written many times a second.
   * A link without clicks has no row.
   */
  url_clicks: {
    owner: { column: 'url_id', parent: 'urls' },
    isExported: true,
    columns: {
      url_id: 'rowId primary key',
      clicks: 'bigint not null',
      last_clicked_at: 'bigint', // Null before the first click
      /** The visits that are no clicks: of bots, prefetches, HEAD and excluded addresses. */
      excluded_visits: 'bigint not null default 0',
      /** Visits up to this millisecond are erased, also those that are still in journals. */
      erased_until: 'bigint not null default 0',
      erasure_pending: 'integer not null default 0', // 1 while stored visits are still to be erased
      /** The greatest number of clicks before an erasure. Its thresholds are not sent again. */
      peak_clicks: 'bigint not null default 0',
      /** The clicks that erasures removed from `clicks`. They count for `urls.max_clicks`. */
      erased_clicks: 'bigint not null default 0',
    },
    indexes: {
      url_clicks_erased: '((url_id + 0)) where erased_until > 0',
      url_clicks_to_erase: '(url_id) where erasure_pending = 1',
    },
  },
  /** Each transaction that moves visits out of a journal also writes the journal's position. */
  journal_positions: {
    shared: 'one row for each journal',
    unmoved: 'all journals are moved into storage before',
    columns: {
      writer_id: 'text primary key',
      segment: 'integer not null',
      offset: 'bigint not null',
    },
  },
  /** The visits of people of one organization. A row has those of one transfer from a journal, or merged ones. */
  visits: {
    isExported: true,
    unexported: ['id'],
    columns: {
      id: 'generatedId',
      /** Not a reference, which would lock the row of the organization. */
      organization_id: 'text not null',
      /** 0: as they came from a journal. 1 and 2: merged once or twice, sorted by link and time. */
      level: 'integer not null',
      stored_at: 'bigint not null', // When the last of them was stored
      /** The times of the earliest and the latest visit, and the least and greatest id of a link. */
      ...each('bigint not null', 'first_at', 'last_at', 'first_url', 'last_url'),
      visit_count: 'integer not null',
      visits: 'bytes not null', // Encoded columns
    },
    indexes: {
      visits_list: '(organization_id, first_at, last_at, first_url, last_url, visit_count, id)',
      visits_by_level: '(organization_id, level, id)',
      visits_to_merge: '(organization_id, visit_count, stored_at) where level = 0',
      visits_by_age: '(first_at, id)',
    },
  },
  qr_codes: {
    isExported: true,
    columns: {
      ...ofOrganization,
      url_id: 'bigint references urls (id)',
      qr_data: 'text not null', // Never changes
      ...each('text not null', 'format', 'error_correction', 'style_preset'),
      ...each('text not null', 'foreground_color', 'background_color'),
      size: 'integer not null',
      logo_url: 'text',
      updated_at: 'bigint not null',
      deleted_at: 'bigint',
      margin: 'integer not null default 4', // The width of the quiet zone in modules
      background: "text not null default 'solid'", // `solid` or `transparent`
    },
    indexes: {
      qr_codes_by_organization: '(organization_id, created_at, id) where deleted_at is null',
      qr_codes_by_owner: '(organization_id, id)',
      qr_codes_by_url: '(url_id, created_at, id) where url_id is not null',
      qr_codes_deleted: '(organization_id) where deleted_at is not null',
    },
  },
  /**
   * The image of a code, apart from qr_codes, so that lists do not read images. The row is removed
   * when the code is deleted.
   */
  qr_pictures: {
    owner: { column: 'qr_id', parent: 'qr_codes' },
    isExported: true,
    columns: {
      qr_id: 'text primary key references qr_codes (id)',
      picture: 'bytes not null', // The verified image file in the code's format
      logo: 'bytes', // PNG
      ...each('integer', 'logo_width', 'logo_height'),
    },
  },
  /** The counters of each code. Every code has a row. */
  qr_counts: {
    owner: { column: 'qr_id', parent: 'qr_codes' },
    isExported: true,
    columns: {
      qr_id: 'text primary key references qr_codes (id)',
      ...each('bigint not null', 'scans', 'downloads'),
      /** The greatest number of scans before an erasure of the link's visits. */
      peak_scans: 'bigint not null default 0',
    },
    isClustered: true,
  },
  deliveries: {
    owner: { column: 'webhook_id', parent: 'webhooks' },
    columns: {
      id: 'text primary key',
      webhook_id: 'text not null references webhooks (id)',
      event_id: 'text not null references events (id)',
      status: 'text not null',
      attempts: 'integer not null',
      due_at: 'bigint', // The time of the next attempt; null when the delivery has ended
      leased_until: 'bigint', // No other dispatcher sends it until then, by the database's clock
      last_status_code: 'integer',
      last_error: 'text',
      created_at: 'bigint not null',
      delivered_at: 'bigint',
      is_charged: 'integer not null default 1', // 0 for tests and replays, which are not metered
      event_type: "text not null default ''", // That of the event
    },
    isClustered: true,
    indexes: {
      deliveries_by_event: '(event_id)',
      deliveries_by_type: '(webhook_id, event_type, created_at, id)',
      deliveries_by_webhook: '(webhook_id, created_at, id)',
      // By webhook first: a claim for one webhook does not read the backlog of another.
      deliveries_due: '(webhook_id, due_at) where due_at is not null',
      deliveries_of_clicks: "(webhook_id) where event_type = 'url.clicked' and due_at is not null",
      deliveries_finished: "(webhook_id, status, created_at, id) where status <> 'pending'",
    },
  },
  delivery_attempts: {
    owner: { column: 'delivery_id', parent: 'deliveries' },
    columns: {
      delivery_id: 'text not null',
      number: 'integer not null', // From 1
      attempted_at: 'bigint not null',
      duration_ms: 'integer not null',
      status_code: 'integer',
      cause: 'text', // The class of the failure; null after a success
      ...each('text', 'error', 'response_body'),
    },
    key: ['delivery_id', 'number'],
    isClustered: true,
  },
  /** One row: the id of the key under which secrets are encrypted, which does not reveal the key. */
  secret_key: {
    shared: 'the key of the installation',
    unmoved: 'the target encrypts under its own key',
    columns: {
      id: 'rowId primary key',
      key_id: 'text not null',
      previous_key_id: 'text', // That of the key before, while `secrets rotate` is not complete
    },
  },
  /** The attempts at passwords and secrets that failed, or that are being verified. */
  attempts: {
    shared: 'anybody may attempt to sign in',
    unmoved: 'they count for some minutes only',
    columns: {
      /** A keyed hash of the limit and the client, which contains an address. */
      key: 'text primary key',
      failed: 'bigint not null',
      ends_at: 'bigint not null', // The end of the window in which they count
    },
    indexes: { attempts_by_end: '(ends_at)' },
  },
  /** The key of the visitor hashes, in one row. */
  visitor_keys: {
    shared: 'the key of the installation',
    columns: {
      id: 'bigint primary key', // 0
      value: 'secret not null', // Random
    },
  },
  /** The hosts to which, with their subdomains, no link may lead. */
  blocked_hosts: {
    shared: 'the operator blocks hosts',
    columns: {
      id: 'text primary key', // The hostname
      reason: 'text not null',
      created_at: 'bigint not null',
    },
    indexes: { blocked_hosts_by_age: '(created_at, id)' },
  },
  /** The short codes and slugs of erased links, and those of deleted organizations on the platform's domain. */
  retired_keys: {
    shared: 'the keys of erased links and deleted organizations, as hashes',
    isExported: true,
    unexported: ['url_id'],
    columns: {
      key_hash: 'rowId primary key', // 53 bits of the SHA-256 of the key and its domain
      /** The organization of the link. Only the export of a deleted one can take the key again. */
      organization_id: 'text not null',
      url_id: 'bigint', // The erased link, until nothing of it is stored
    },
    indexes: {
      retired_keys_by_organization: '(organization_id, key_hash)',
      retired_keys_to_erase: '(url_id) where url_id is not null',
    },
  },
  /**
   * Who changed what. A row is only updated by the write that made it, and only deleted when it is too
   * old, or with its organization.
   */
  audit_log: {
    columns: {
      created_at: 'bigint not null',
      id: 'text not null',
      /** The owner of the record; null for records of the operator. Not a reference: rows outlive it. */
      organization_id: 'text',
      ...each('text not null', 'actor_type', 'resource_type'),
      actor_id: 'text', // The id of a client or an API key
      address: 'text',
      operation: 'text not null', // The operationId of the contract
      resource_id: 'text', // Null for a write of several records
      item_count: 'integer not null', // The number of changed records
      fields: 'text', // The names of the changed fields, separated by commas
    },
    key: ['created_at', 'id'],
    isClustered: true,
    indexes: { audit_log_by_organization: '(organization_id, created_at, id)' },
  },
  /** One row. Its version increases with each change that affects any number of links. */
  link_policy: {
    shared: 'one row, for all organizations',
    columns: { version: 'bigint not null' },
  },
  /**
   * The clicks of links with `max_clicks` that visitors have taken, before they are in storage. Apart from
   * `url_clicks`, whose rows the ingester locks in another order.
   */
  used_clicks: {
    owner: { column: 'url_id', parent: 'urls' },
    isExported: true,
    columns: { url_id: 'rowId primary key', clicks: 'bigint not null' },
  },
} as const satisfies Readonly<Record<string, TableDefinition>>;
