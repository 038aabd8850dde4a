import fc from 'fast-check';
import { afterAll, expect, it } from 'vitest';
import { type PlanTable, standardPlans } from '../../src/organizations/plans.js';
import { type Caller, startServer } from './start-server.js';

const size = 5;
// Fewer active links than there are links.
const plans: PlanTable = { ...standardPlans, free: { ...standardPlans.free, linkBundle: 3 } };
const expiresAfterMs = 60_000;

const api = await startServer({ plans });
afterAll(() => api.stop());

/** A link of a new organization; `expires` is true for a link that is due before the changes. */
interface Start {
  readonly isActive: boolean;
  readonly expires: boolean;
}

interface Change {
  /** The number of the link, which may be repeated. */
  readonly link: number;
  readonly isActive?: boolean;
  readonly title?: string;
  readonly expiresAt?: null;
  /** The number of the link that becomes the target; `size` is another site. */
  readonly target?: number;
}

const anyStart: fc.Arbitrary<Start> = fc.record({ isActive: fc.boolean(), expires: fc.boolean() });
const anyChange: fc.Arbitrary<Change> = fc.record(
  {
    link: fc.nat(size - 1),
    isActive: fc.boolean(),
    title: fc.constantFrom('one', 'two'),
    expiresAt: fc.constant(null),
    target: fc.nat(size),
  },
  { requiredKeys: ['link'] },
);

/** Returns a client of a new organization that has these links. */
async function withLinks(starts: readonly Start[]) {
  const caller = await api.newcomer('free');
  const urls: { id: string; shortCode: string }[] = [];
  for (const { isActive, expires } of starts) {
    const body = {
      targetUrl: 'https://example.com/',
      isActive,
      ...(expires && { expiresAt: new Date(api.clock() + expiresAfterMs).toISOString() }),
    };
    const created = await caller.call('createUrl', { body });
    // The bundle may be used up.
    const { data } =
      created.status === 201
        ? created
        : await caller.call('createUrl', { body: { ...body, isActive: false } });
    urls.push(data);
  }
  return { caller, urls };
}

async function pause(
  { caller, urls }: Awaited<ReturnType<typeof withLinks>>,
  links: readonly number[],
) {
  for (const link of links) {
    const params = { id: urls[link]?.id as string };
    await caller.call('updateUrl', { params, body: { isActive: false } });
  }
}

/** Returns the states of the links, and how many count towards the bundle. */
async function stateOf(caller: Caller, urls: readonly { id: string; shortCode: string }[]) {
  const codes = urls.map(({ shortCode }) => shortCode);
  const states = [];
  for (const { id } of urls) {
    const { data } = await caller.call('getUrl', { params: { id } });
    const key = new URL(data.targetUrl).pathname.slice(1);
    const isChanged = data.updatedAt !== data.createdAt;
    const { isActive, title, expiresAt } = data;
    states.push([isActive, title, expiresAt === null, codes.indexOf(key), isChanged]);
  }
  return { states, used: (await caller.call('getUsage')).data.links.used };
}

/** Replaces the short codes in a message by the numbers of the links. */
function named(message: string, urls: readonly { shortCode: string }[]): string {
  return urls.reduce(
    (text, { shortCode }, at) => text.replaceAll(shortCode, `link ${at}`),
    message,
  );
}

it('a bulk update has the outcomes of the same updates one after the other', async () => {
  const starts = fc.array(anyStart, { minLength: size, maxLength: size });
  const changes = fc.array(anyChange, { minLength: 1, maxLength: 12 });
  await fc.assert(
    fc.asyncProperty(starts, changes, async (start, steps) => {
      const [one, other] = [await withLinks(start), await withLinks(start)];
      api.clock.advance(expiresAfterMs);
      const dueOf = (isChanged: boolean) =>
        start.flatMap(({ expires }, at) =>
          expires && steps.some(({ link }) => link === at) === isChanged ? [at] : [],
        );
      // The server ends other links that are due at any time.
      for (const each of [one, other]) await pause(each, dueOf(false));
      // A bulk update first ends all of its own links that are due.
      await pause(one, dueOf(true));
      const toBody = (
        { link: _, target, ...fields }: Change,
        urls: readonly { shortCode: string }[],
      ) => ({
        ...fields,
        ...(target !== undefined && {
          targetUrl: `${api.server.url}/${urls[target]?.shortCode ?? 'elsewhere-else'}`,
        }),
      });
      const singles: string[] = [];
      for (const step of steps) {
        const params = { id: one.urls[step.link]?.id as string };
        const response = await one.caller.call('updateUrl', {
          params,
          body: toBody(step, one.urls),
        });
        singles.push(response.status === 200 ? 'updated' : named(response.error.message, one.urls));
      }
      const updates = steps.map((step) => ({
        id: other.urls[step.link]?.id as string,
        ...toBody(step, other.urls),
      }));
      const { data } = await other.caller.call('bulkUpdateUrls', { body: { updates } });
      const bulk = steps.map((_, index) => {
        const error = data.errors.find((each) => each.index === index);
        return error ? named(error.error, other.urls) : 'updated';
      });
      expect(bulk).toEqual(singles);
      expect(await stateOf(other.caller, other.urls)).toEqual(await stateOf(one.caller, one.urls));
    }),
    { numRuns: 15 },
  );
}, 120_000);
