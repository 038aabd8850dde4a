import { writeFileSync } from 'node:fs';
import { join } from 'node:path';
import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { scratchFolder } from '../../test/scratch-folder.js';
import { ConfigError } from '../config-error.js';
import {
  type BundledMeter,
  computeCharge,
  type PlanName,
  readPlans,
  standardPlans,
} from './plans.js';

const charge = (plan: PlanName, meter: BundledMeter, used: number) =>
  computeCharge(used, standardPlans[plan].meters[meter]);

it('amounts are the nearest doubles to the exact amounts', () => {
  const priced = [
    ['developer', 'qr_generated', 5n, 2],
    ['scale', 'qr_generated', 3n, 2],
    ['developer', 'webhook_delivery', 1n, 5],
    ['scale', 'webhook_delivery', 75n, 7],
  ] as const;
  fc.assert(
    fc.property(
      fc.constantFrom(...priced),
      fc.nat({ max: 2_000_000_000 }),
      ([plan, meter, price, decimals], overage) => {
        const { included } = standardPlans[plan].meters[meter];
        const digits = String(BigInt(overage) * price).padStart(decimals + 1, '0');
        const decimal = `${digits.slice(0, -decimals)}.${digits.slice(-decimals)}`;
        const { overageUsd } = charge(plan, meter, (included ?? 0) + overage);
        expect(overageUsd).toBe(Number(decimal));
      },
    ),
  );
});

describe('SHORTY_PLANS', () => {
  function read(text: string) {
    const folder = scratchFolder();
    const path = join(folder, 'plans.json');
    writeFileSync(path, text);
    return readPlans(path);
  }
  const team = {
    linkBundle: 5_000,
    meters: {
      qr_generated: { included: 500, overage: { cents: 5, per: 1 } },
      webhook_delivery: { included: null, overage: null },
    },
    hasReplay: true,
  };

  it('changes figures of the standard plans, and adds others', () => {
    const free = { linkBundle: 100, meters: { qr_generated: { included: 30 } } };
    const plans = read(JSON.stringify({ free, team }));
    expect(plans.team).toEqual(team);
    expect(plans.free).toEqual({
      ...standardPlans.free,
      linkBundle: 100,
      meters: { ...standardPlans.free.meters, qr_generated: { included: 30, overage: null } },
    });
    expect(plans.scale).toEqual(standardPlans.scale);
    expect(readPlans(undefined)).toEqual(standardPlans);
  });

  it.each([
    ['{\n  "free": {\n    "linkBundle": 5,\n  }\n}', /line 4: /],
    [
      '{ "free": { "linkBundel": 5 } }',
      /free\.linkBundel is not a known field here: did you mean linkBundle\?$/,
    ],
    ['{ "free": { "linkBundle": -1 } }', /free\.linkBundle is -1: it must be at least 0$/],
    [
      '{ "free": { "meters": { "qr_generated": { "included": "many" } } } }',
      /free\.meters\.qr_generated\.included is "many": it must be a number$/,
    ],
  ])('%s stops the start with its place', (text, place) => {
    expect(() => read(text)).toThrow(ConfigError);
    expect(() => read(text)).toThrow(/^SHORTY_PLANS is ".*plans\.json": /);
    expect(() => read(text)).toThrow(place);
  });

  it('a file that cannot be read stops the start', () => {
    expect(() => readPlans('/no/such/plans.json')).toThrow(/SHORTY_PLANS is .*ENOENT/);
  });
});
