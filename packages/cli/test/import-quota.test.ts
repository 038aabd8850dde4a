import { standardPlans } from '@shorty/server';
import { expect, test } from 'vitest';
import { startSignedInShorty } from './signed-in-shorty.js';

const plans = { ...standardPlans };

/** Sets the number of active links that the organization's plan includes. */
function setQuota(linkBundle: number): void {
  plans.enterprise = { ...standardPlans.enterprise, linkBundle };
}

setQuota(0);
const { server, shorty } = await startSignedInShorty({ plans });

test('an import stops at the quota, and after an upgrade the same command creates only the missing rows', async () => {
  const targets = Array.from({ length: 730 }, (_, index) => `https://quota.example/${index}`);
  await shorty.write('quota.csv', `url\n${targets.join('\n')}\nno address\n`);
  const args = ['urls', 'bulk-create', 'quota.csv', '--out', 'made.csv', '--failed-out', 'bad.csv'];
  const created = async () => {
    const links = await server.client.urls.list().toArray();
    return links.map(({ targetUrl }) => targetUrl).sort();
  };

  setQuota(250);
  const first = await shorty.run(args);
  expect(first.code).toBe(3);
  expect(first.stdout).toContain(' 250 created, ');
  expect(first.stderr).toContain(
    '; change the plan or delete links, then run the same command again to create only the missing rows\n',
  );
  expect(await created()).toHaveLength(250);

  const stillFull = await shorty.run(args);
  expect(stillFull.code).toBe(3);
  expect(stillFull.stderr).not.toContain('an earlier run has imported this file');
  expect(await created()).toHaveLength(250);

  setQuota(10_000);
  const last = await shorty.run(args);
  expect(last.code).toBe(3);
  expect(last.stdout).toMatch(/^731 rows, \d+ of them earlier: 730 created, 1 failed in /);
  expect(await created()).toEqual([...targets].sort());
  expect(await shorty.read('bad.csv')).toMatch(
    /^url,error\nno address,"targetUrl is ""no address"": .*"\n$/,
  );
  const made = (await shorty.read('made.csv')).trimEnd().split('\n').slice(1);
  expect(made.map((line) => line.split(',')[5]).sort()).toEqual([...targets].sort());

  const repeated = await shorty.run(args);
  expect(repeated.stderr).toContain('an earlier run has imported this file');
  expect(repeated.stdout).toMatch(/^731 rows, 731 of them earlier: 730 created, 1 failed in /);
  expect(await created()).toHaveLength(730);
});

test('postponed rows that were sent again without a response need --resend a day later', async () => {
  setQuota(0);
  await shorty.write('late.csv', 'url\nhttps://late.example/\n');
  const folder = '.local/state/shorty/imports';
  const before = await shorty.files(folder);
  const args = 'urls bulk-create late.csv';
  await shorty.exits(1, 'change the plan or delete links', args);
  const name = (await shorty.files(folder)).find((each) => !before.includes(each));
  const progress = await shorty.read(`${folder}/${name}`);
  // A run was killed two days ago, and another one now.
  const sent = [Date.now() - 2 * 24 * 60 * 60 * 1000, Date.now()].map((at) =>
    JSON.stringify({ sent: 0, at }),
  );
  await shorty.write(`${folder}/${name}`, `${progress}\n${sent.join('\n')}`);
  setQuota(10_000);
  await shorty.exits(1, 'lines 2 to 2 may have arrived', args);
  const { stdout } = await shorty.run(`${args} --resend`);
  expect(stdout).toMatch(/^1 row: 1 created, 0 failed in /);
});
