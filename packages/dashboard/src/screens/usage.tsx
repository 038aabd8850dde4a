import { formatUsd } from '@shorty/report';
import { useState } from 'preact/hooks';
import { api } from '../api.js';
import { Select } from '../components/form.js';
import { Loading, useLoaded } from '../components/loaded.js';

interface Meter {
  readonly name: string;
  readonly used: number;
  readonly included?: number | null;
  readonly overage?: number;
  readonly overageUsd?: number;
}

const monthsShown = 13;

/** The current month in UTC and those before it, as the API writes them. */
function months(): (readonly [string, string])[] {
  const now = new Date();
  return Array.from({ length: monthsShown }, (_, index) => {
    const first = Date.UTC(now.getUTCFullYear(), now.getUTCMonth() - index, 1);
    const month = new Date(first).toISOString().slice(0, 'YYYY-MM'.length);
    return [month, month];
  });
}

export function Usage() {
  const [period, setPeriod] = useState('');
  const { value: usage, error } = useLoaded(`usage ${period}`, () =>
    api.usage.get(period === '' ? {} : { period }),
  );
  const meters: Meter[] = usage
    ? [
        { name: 'Active links, now', ...usage.links },
        { name: 'QR codes created', ...usage.meters.qr_generated },
        { name: 'Webhook deliveries', ...usage.meters.webhook_delivery },
        { name: 'API requests', ...usage.meters.api_call },
      ]
    : [];
  return (
    <>
      <h1>Usage</h1>
      <div class="filters">
        <Select
          label="Month (UTC)"
          value={usage?.period ?? period}
          options={months()}
          onChange={({ currentTarget }) => setPeriod(currentTarget.value)}
        />
      </div>
      {!usage || error !== '' ? (
        <Loading error={error} />
      ) : (
        <>
          <p>Plan: {usage.plan}</p>
          <table class="cards">
            <thead>
              <tr>
                <th scope="col">What</th>
                <th scope="col" class="number">
                  Used
                </th>
                <th scope="col" class="number">
                  Included
                </th>
                <th scope="col" class="number">
                  Beyond
                </th>
              </tr>
            </thead>
            <tbody>
              {meters.map((meter) => (
                <MeterRow key={meter.name} meter={meter} />
              ))}
            </tbody>
          </table>
        </>
      )}
    </>
  );
}

function MeterRow({ meter }: { readonly meter: Meter }) {
  const { name, used, included, overage = 0, overageUsd = 0 } = meter;
  return (
    <tr>
      <th scope="row">
        {name}
        {included != null && <meter aria-label={`${name} used`} max={included} value={used} />}
      </th>
      <td class="number">{used.toLocaleString()} used</td>
      <td class="number">
        {included === undefined ? '' : `of ${included?.toLocaleString() ?? 'any number'}`}
      </td>
      <td class="number">
        {overage > 0 && `${overage.toLocaleString()} beyond it: $${formatUsd(overageUsd)}`}
      </td>
    </tr>
  );
}
