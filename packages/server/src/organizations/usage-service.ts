import { validationError } from '../contract/api-error.js';
import type { Clock } from '../ports.js';
import { computeCharge } from './compute-charge.js';
import { type BundledMeter, monthOf } from './meters.js';
import type { PlanTable } from './plans.js';
import type { Usage } from './usage-contract.js';
import type { UsageRepository } from './usage-repository.js';

export interface UsageServiceOptions {
  readonly usage: UsageRepository;
  readonly plans: PlanTable;
  readonly clock: Clock;
}

/** Reports the use of organizations and its cost. */
export class UsageService {
  readonly #options: UsageServiceOptions;

  constructor(options: UsageServiceOptions) {
    this.#options = options;
  }

  async read(organizationId: string, period: string | undefined): Promise<Usage> {
    const { usage, plans, clock } = this.#options;
    const now = monthOf(clock());
    const month = period ?? now;
    if (month > now) {
      throw validationError([
        { path: 'period', message: `must not lie in the future: it is ${now}` },
      ]);
    }
    const { plan, activeUrls, used } = await usage.read(organizationId, month);
    const rules = plans[plan];
    const charge = (meter: BundledMeter) =>
      computeCharge(used.get(meter) ?? 0, rules.meters[meter]);
    return {
      period: month,
      plan,
      meters: {
        api_call: { used: used.get('api_call') ?? 0 },
        qr_generated: charge('qr_generated'),
        webhook_delivery: charge('webhook_delivery'),
      },
      links: { used: activeUrls, included: rules.linkBundle },
    };
  }
}
