import { join } from 'node:path';
import { expect, test } from 'vitest';
import { scratchFolder } from '../lib/processes.js';
import { openStopTrial } from '../lib/stop-trial.mjs';

const stops = 3;

test('a stop under load ends in time, and loses nothing that was acknowledged', async () => {
  const databaseUrl = `file:${join(scratchFolder(), 'shorty.db')}`;
  const trial = await openStopTrial({ SHORTY_DATABASE_URL: databaseUrl }, { links: 2_000 });
  for (let stop = 0; stop < stops; stop += 1) {
    const { stopMs, missing } = await trial.stopUnderLoad({ redirects: 200, links: 200 });
    expect(missing).toEqual([]);
    // Then the server would end itself.
    expect(stopMs).toBeLessThan(9_000);
  }
  await trial.close();
});
