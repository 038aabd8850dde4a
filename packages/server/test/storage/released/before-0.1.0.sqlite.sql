-- The statements of the nine migrations before the baseline of version 0.1.0.
create table kysely_migration (name varchar(255) not null primary key, timestamp varchar(255) not null);
create table kysely_migration_lock (id varchar(255) not null primary key, is_locked integer default 0 not null);
insert into kysely_migration_lock (id, is_locked) values ('migration_lock', 0);
-- 0001-initial
create table "organizations" ("id" text primary key, "name" text not null, "plan" text not null, "active_urls" bigint default 0 not null, "created_at" bigint not null);
create table "clients" ("id" text primary key, "organization_id" text not null references "organizations" ("id"), "secret_hash" text not null, "scopes" text not null, "created_at" bigint not null, "revoked_at" bigint);
create table "access_tokens" ("token_hash" text primary key, "client_id" text not null references "clients" ("id"), "scopes" text not null, "created_at" bigint not null, "expires_at" bigint not null);
create index "access_tokens_by_expiry" on "access_tokens" ("expires_at");
create table "domains" ("id" text primary key, "organization_id" text not null references "organizations" ("id"), "hostname" text not null, "is_active" integer not null, "created_at" bigint not null);
create unique index "domains_active_hostname" on "domains" ("hostname") where "is_active" = 1;
create table "url_id_counter" ("last_id" bigint not null);
insert into url_id_counter (last_id) values (0);
create table "urls" ("id" integer primary key, "organization_id" text not null references "organizations" ("id"), "domain_id" text references "domains" ("id"), "short_code" text not null, "custom_slug" text, "target_url" text not null, "title" text, "description" text, "category" text, "tags" text not null, "redirect_type" integer not null, "expires_at" bigint, "password_hash" text, "utm_source" text, "utm_medium" text, "utm_campaign" text, "utm_term" text, "utm_content" text, "custom_utm_params" text not null, "source_domain" text, "is_active" integer not null, "created_at" bigint not null, "updated_at" bigint not null);
create index "urls_by_organization" on "urls" ("organization_id", "created_at", "id");
create index "urls_to_expire" on "urls" ("expires_at") where "expires_at" is not null and "is_active" = 1;
create table "url_keys" ("domain_key" text not null, "key" text not null, "url_id" bigint not null references "urls" ("id"), constraint "url_keys_primary" primary key ("domain_key", "key")) without rowid;
create table "idempotency_keys" ("organization_id" text not null, "key" text not null, "fingerprint" text not null, "result" text not null, "created_at" bigint not null, constraint "idempotency_keys_primary" primary key ("organization_id", "key"));
create index "idempotency_keys_by_age" on "idempotency_keys" ("created_at");
create table "webhooks" ("id" text primary key, "organization_id" text not null references "organizations" ("id"), "url" text not null, "events" text not null, "secret" text not null, "is_active" integer not null, "created_at" bigint not null, "updated_at" bigint not null);
create index "webhooks_by_organization" on "webhooks" ("organization_id", "created_at", "id");
create table "events" ("id" text primary key, "organization_id" text not null, "type" text not null, "data" text not null, "created_at" bigint not null);
create table "deliveries" ("id" text primary key, "webhook_id" text not null references "webhooks" ("id"), "event_id" text not null references "events" ("id"), "status" text not null, "attempts" integer not null, "next_attempt_at" bigint, "created_at" bigint not null);
create index "deliveries_due" on "deliveries" ("next_attempt_at") where "next_attempt_at" is not null;
-- 0002-visits
create table "journal_positions" ("writer_id" text primary key, "segment" integer not null, "offset" bigint not null);
create table "url_clicks" ("url_id" integer primary key, "clicks" bigint not null);
create table "visit_batches" ("id" integer primary key autoincrement, "created_at" bigint not null, "visit_count" integer not null, "visits" blob not null);
create table "visit_chunks" ("url_id" bigint not null, "number" integer not null, "first_at" bigint not null, "last_at" bigint not null, "visit_count" integer not null, "visits" blob not null, constraint "visit_chunks_primary" primary key ("url_id", "number")) without rowid;
create table "visit_compactions" ("up_to_batch" bigint not null, "next_url" bigint not null);
create table "click_days" ("url_id" bigint not null, "day" bigint not null, "clicks" bigint not null, "summary" text not null, constraint "click_days_primary" primary key ("url_id", "day")) without rowid;
-- 0003-qr-codes
create table "qr_codes" ("id" text primary key, "organization_id" text not null references "organizations" ("id"), "url_id" bigint references "urls" ("id"), "qr_data" text not null, "format" text not null, "size" integer not null, "error_correction" text not null, "foreground_color" text not null, "background_color" text not null, "logo_url" text, "style_preset" text not null, "version" integer not null, "created_at" bigint not null, "updated_at" bigint not null, "deleted_at" bigint);
create index "qr_codes_by_organization" on "qr_codes" ("organization_id", "created_at", "id") where "deleted_at" is null;
create index "qr_codes_by_url" on "qr_codes" ("url_id", "created_at", "id") where "url_id" is not null;
create table "qr_pictures" ("qr_id" text primary key references "qr_codes" ("id"), "picture" blob not null, "logo" blob, "logo_width" integer, "logo_height" integer);
create table "qr_counts" ("qr_id" text primary key references "qr_codes" ("id"), "scans" bigint not null, "downloads" bigint not null) without rowid;
create table "scan_days" ("qr_id" text not null, "day" bigint not null, "scans" bigint not null, "summary" text not null, constraint "scan_days_primary" primary key ("qr_id", "day")) without rowid;
alter table "click_days" add column "scans" bigint default 0 not null;
create table "usage_meters" ("organization_id" text not null references "organizations" ("id"), "month" text not null, "meter" text not null, "used" bigint not null, constraint "usage_meters_primary" primary key ("organization_id", "month", "meter")) without rowid;
-- 0004-webhooks
drop table "deliveries";
drop table "events";
alter table "webhooks" add column "previous_secret" text;
alter table "webhooks" add column "previous_secret_expires_at" bigint;
alter table "webhooks" add column "deleted_at" bigint;
create table "events" ("id" text primary key, "organization_id" text not null, "type" text not null, "body" text not null, "created_at" bigint not null);
create table "deliveries" ("id" text primary key, "webhook_id" text not null references "webhooks" ("id"), "event_id" text not null references "events" ("id"), "status" text not null, "attempts" integer not null, "next_attempt_at" bigint, "due_at" bigint, "last_status_code" integer, "last_error" text, "created_at" bigint not null, "delivered_at" bigint) without rowid;
create index "deliveries_due" on "deliveries" ("webhook_id", "due_at") where "due_at" is not null;
create index "deliveries_by_webhook" on "deliveries" ("webhook_id", "created_at", "id");
create index "deliveries_failed" on "deliveries" ("webhook_id", "created_at", "id") where "status" = 'failed';
create index "deliveries_by_event" on "deliveries" ("event_id");
create table "delivery_attempts" ("delivery_id" text not null, "number" integer not null, "attempted_at" bigint not null, "duration_ms" integer not null, "status_code" integer, "error" text, "response_body" text, constraint "delivery_attempts_primary" primary key ("delivery_id", "number")) without rowid;
-- 0005-usage
create table "plan_changes" ("organization_id" text not null references "organizations" ("id"), "changed_at" bigint not null, "plan_before" text not null, constraint "plan_changes_primary" primary key ("organization_id", "changed_at")) without rowid;
alter table "deliveries" add column "is_charged" integer default 1 not null;
-- 0006-domains
alter table "domains" add column "challenge" text default '' not null;
alter table "domains" add column "verified_at" bigint;
alter table "domains" add column "last_checked_at" bigint;
alter table "domains" add column "last_error" text;
alter table "domains" add column "deleted_at" bigint;
update domains set verified_at = created_at where is_active = 1;
create unique index "domains_of_organization" on "domains" ("organization_id", "hostname");
create index "domains_by_hostname" on "domains" ("hostname") where "verified_at" is not null;
create index "urls_by_domain" on "urls" ("domain_id", "is_active") where "domain_id" is not null;
-- 0007-nodes
-- 0008-webhook-health
alter table "webhooks" add column "last_success_at" bigint;
alter table "webhooks" add column "failing_since" bigint;
alter table "webhooks" add column "failure_rate" double precision;
alter table "webhooks" add column "disabled_at" bigint;
alter table "webhooks" add column "disabled_reason" text;
-- 0009-search
alter table "urls" add column "search_text" text default '' not null;
create virtual table url_search using fts5(
    text, content = '', contentless_delete = 1, detail = none,
    tokenize = 'trigram case_sensitive 1');
insert into url_search (url_search, rank) values ('automerge', 0);
insert into url_search (url_search, rank) values ('crisismerge', 1000);
create table url_search_pending (url_id integer primary key);
insert into url_search_pending select id from urls;
create trigger url_search_insert after insert on urls begin insert or ignore into url_search_pending values ("new"."id"); end;
create trigger url_search_update after update of search_text on urls
    when old.search_text <> new.search_text begin insert or ignore into url_search_pending values ("new"."id"); end;
create trigger url_search_delete after delete on urls begin insert or ignore into url_search_pending values ("old"."id"); end;
