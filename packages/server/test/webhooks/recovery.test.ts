import { it } from 'vitest';
import { recoverOutage } from './open-replays.js';

it(
  'a replay recovers 10,000 failed deliveries: each event once',
  () => recoverOutage(10_000),
  300_000,
);
