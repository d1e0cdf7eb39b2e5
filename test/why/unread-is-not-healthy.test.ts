import { describe, expect, test } from 'vitest';
import { dumpReader } from '../../packages/chandler/src/diagnose/index.ts';
import { askThrough } from './ask.fixture.ts';
import { type CorpusCase, dumpOf } from './corpus.ts';

/** The reader of a case, which may not list one kind. */
function without(plural: string, one: Partial<CorpusCase>) {
  const whole = dumpReader(dumpOf({ file: '', title: '', ask: '', expect: {}, ...one }));
  const forbidden = { why: 'forbidden', permission: `list ${plural}` } as const;
  return {
    ...whole,
    get: whole.get.bind(whole),
    log: whole.log.bind(whole),
    list: async (...args: Parameters<typeof whole.list>) =>
      args[0].plural === plural ? forbidden : whole.list(...args),
    pages: async function* (...args: Parameters<typeof whole.pages>) {
      if (args[0].plural === plural) yield forbidden;
      else yield* whole.pages(...args);
    },
  };
}

describe('what could not be read', () => {
  test('a CronJob is not healthy if its Jobs cannot be listed', async () => {
    const job = {
      apiVersion: 'batch/v1',
      kind: 'CronJob',
      metadata: {
        name: 'nightly',
        namespace: 'shop',
        uid: 'uid-n',
        creationTimestamp: '2026-05-01T08:00:00Z',
      },
      spec: { schedule: '0 3 * * *' },
    };
    const { verdict, standing } = await askThrough(
      without('jobs', { objects: [job] }),
      'cronjob/shop/nightly',
    );
    expect([verdict, standing]).toEqual([
      'unexplained',
      'The CronJob could be read, but not what it created.',
    ]);
  });

  test('a NodePool is not healthy if pending pods cannot be listed', async () => {
    const { verdict, standing } = await askThrough(without('pods', { pods: [{}] }), 'nodepool/default');
    expect([verdict, standing]).toEqual([
      'unexplained',
      'The NodePool is Ready, but whether pods are pending for it is not known.',
    ]);
  });
});
