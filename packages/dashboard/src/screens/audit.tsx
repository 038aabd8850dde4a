import type { AuditEntry, AuditQuery } from '@shorty/sdk';
import { Link, useLocation } from 'wouter-preact';
import { Screen, Time } from '../components/elements.js';
import { List, Only } from '../components/list.js';
import { type Field, field } from '../fields.js';
import { api } from '../session.js';

const filters: readonly Field[] = [
  field('actor', 'Who (id)'),
  field('operation', 'Operation'),
  field('resource', 'Record (id)'),
  field('since', 'From', { kind: 'firstDay' }),
  field('until', 'To', { kind: 'lastDay' }),
];

export function Audit() {
  const [path] = useLocation();
  return (
    <Screen title="Audit">
      <p class="hint">Who changed what. Entries have the names of fields, and no values.</p>
      <List<AuditEntry, AuditQuery>
        read={(query) => api.audit(query)}
        filters={filters}
        none="No entry matches."
        columns={{
          When: ({ createdAt }) => <Time at={createdAt} />,
          Who: ({ actor: { id, name } }) => <Only name="actor" value={id} label={name ?? id} />,
          Operation: ({ operation }) => <Only name="operation" value={operation} />,
          Record: ({ resource: { id } }) => <Only name="resource" value={id} />,
          Fields: ({ fields }) => fields.join(', '),
        }}
        notes={{
          Who: ({ actor, address }) => `${actor.type}${address === null ? '' : ` from ${address}`}`,
          Record: ({ count, resource }) => `${count > 1 ? `${count} × ` : ''}${resource.type}`,
        }}
      >
        <Link href={path}>Clear filters</Link>
      </List>
    </Screen>
  );
}
