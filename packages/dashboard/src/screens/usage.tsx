import { formatUsd } from '@shorty/report';
import type { BundledUsage } from '@shorty/sdk';
import { Loading, Screen, Table, useLoaded } from '../components/elements.js';
import { FilterBar, useFilters } from '../components/list.js';
import { optionsOf, select } from '../fields.js';
import { api } from '../session.js';

type Meter = Pick<BundledUsage, 'used'> & Partial<BundledUsage> & { readonly name: string };

/** The current month in UTC and the twelve before it, as the API writes them. */
function months(): readonly string[] {
  const now = new Date();
  return Array.from({ length: 13 }, (_, index) => {
    const first = Date.UTC(now.getUTCFullYear(), now.getUTCMonth() - index, 1);
    return new Date(first).toISOString().slice(0, 'YYYY-MM'.length);
  });
}

export function Usage() {
  const { search } = useFilters();
  const [current = '', ...earlier] = months();
  const period = search.get('period') ?? current;
  const { value: usage, error } = useLoaded(period, () => api.usage.get({ period }));
  const meters: readonly Meter[] = usage
    ? [
        { name: 'Active links, now', ...usage.links },
        { name: 'QR codes created', ...usage.meters.qr_generated },
        { name: 'Webhook deliveries', ...usage.meters.webhook_delivery },
        { name: 'API requests', ...usage.meters.api_call },
      ]
    : [];
  const month = select('period', 'Month (UTC)', [['', current], ...optionsOf(earlier)]);
  return (
    <Screen title="Usage">
      <FilterBar filters={[month]} />
      {usage ? <p>Plan: {usage.plan}</p> : <Loading error={error} />}
      <Table heads={['What', 'Used', 'Included', 'Beyond']}>
        {meters.map(({ name, used, included, overage = 0, overageUsd = 0 }) => (
          <tr key={name}>
            <th scope="row">
              {name}
              {included != null && (
                <meter aria-label={`${name} used`} max={included} value={used} />
              )}
            </th>
            <td>{used.toLocaleString()} used</td>
            <td>{included !== undefined && `of ${included?.toLocaleString() ?? 'any number'}`}</td>
            <td>
              {overage > 0 && `${overage.toLocaleString()} beyond it: $${formatUsd(overageUsd)}`}
            </td>
          </tr>
        ))}
      </Table>
    </Screen>
  );
}
