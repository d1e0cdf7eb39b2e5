import { CONFIG_MAPS, Store, type Transport } from '@chandler/kube';
import { virtualWorld } from '@chandler/kube/testing';
import { expect, test } from 'vitest';
import { QuestionError, type ReadModel, type Viewer } from '../../../dashboard/index.ts';
import { Stores } from '../../../state/index.ts';
import { PageVisitors } from './page-visitors.ts';

/** An API server that does not answer. @param wait how often longer than usual everybody waits for it. */
function visitors(wait = 1) {
  const world = virtualWorld();
  const { clock } = world;
  const slow = {
    now: () => clock.now(),
    monotonic: () => clock.monotonic(),
    after: clock.after.bind(clock),
    sleep: (ms: number, signal?: AbortSignal) => clock.sleep(wait * ms, signal),
  };
  const sent: string[] = [];
  const transport: Transport = (request) => {
    sent.push(request.path);
    return new Promise((_, reject) => {
      request.signal?.addEventListener('abort', () => reject(request.signal!.reason));
    });
  };
  const stores = new Stores({ world, transport, nodeClasses: [] });
  const freezes = new Store({ resource: CONFIG_MAPS });
  const made = new PageVisitors({
    world: { ...world, clock: slow as typeof clock },
    env: {},
    watched: () => ({ stores, freezes }) as never,
    namespace: 'kube-system',
    own: transport,
    bare: transport,
    host: 'kubernetes',
  });
  return { world, sent, visitors: made };
}

const viewer = (...also: readonly string[]): Viewer => ({
  key: also.join(),
  user: { username: also.join(), groups: [] },
  token: 'token',
  listable: new Set(['nodes', 'events', ...also]),
});

test('groups with different permissions that open the page at once see it, or are told to wait', async () => {
  const { world, visitors: made } = visitors();
  const groups = ['pods', 'configmaps', 'nodepools.karpenter.sh', 'nodeclaims.karpenter.sh', 'none'];
  const opened = Promise.allSettled(groups.map((each) => made.open(viewer(each))));
  await world.clock.advance(30_000);
  const results = await opened;
  expect(results.map(({ status }) => status).sort()).toEqual([...Array(4).fill('fulfilled'), 'rejected']);
  for (const result of results) {
    if (result.status === 'fulfilled') expect(result.value.model.isStopped).toBe(false);
    else expect(result.reason).toMatchObject({ status: 503 });
  }
  made.stop();
});

test('who waits while the controller ends is told so, and nothing is watched for them', async () => {
  const { world, sent, visitors: made } = visitors();
  const opened = made.open(viewer()).catch((error: unknown) => error);
  await world.clock.advance(100);
  made.stop();
  sent.length = 0;
  await world.clock.advance(30_000);
  const error = await opened;
  expect(error).toBeInstanceOf(QuestionError);
  expect(error).toMatchObject({ status: 503, message: 'the controller ends' });
  expect(sent).toEqual([]);
});

test('a page that takes longer to start than pages are kept is not closed under those who wait for it', async () => {
  const { world, visitors: made } = visitors(30);
  let model: ReadModel | undefined;
  made.open(viewer()).then(
    (page) => (model = page.model),
    () => undefined,
  );
  await world.clock.advance(100_000);
  expect(model?.isReady).toBe(true);
  expect(model?.isStopped).toBe(false);
  // Then nobody looks at it.
  await world.clock.advance(80_000);
  expect(model?.isStopped).toBe(true);
  made.stop();
});
