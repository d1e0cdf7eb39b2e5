/** A NodePool with more NodeClaims than are looked at: the one that fails is not left out. */
import { expect, test } from 'vitest';
import { azureDiagnosis } from '../../packages/chandler/src/cloud/azure/index.ts';
import { dumpReader, encodeDump, makeDump, openDump } from '../../packages/chandler/src/diagnose/index.ts';

import { askThrough } from './ask.fixture.ts';
import { type CorpusCase, dumpOf } from './corpus.ts';

const FAILING = {
  name: 'default-a1b2c',
  upTo: 'created',
  age: '12m',
  conditions: {
    Launched: {
      status: 'Unknown',
      reason: 'DiskEncryptionSetRBACMissing',
      message: 'LinkedAuthorizationFailed: no permission on the linked scope',
    },
  },
};
/** Newer ones, in progress. */
const young = Array.from({ length: 30 }, (_, index) => ({
  name: `default-y${String(index).padStart(4, '0')}`,
  upTo: 'created',
  age: '1m',
}));

const clusterOf = (claims: readonly object[], ask: string) =>
  ({ file: 'here', title: '', ask, expect: {}, claims, pods: [{ age: '20m' }] }) as unknown as CorpusCase;

test.each(['pod/shop/web', 'nodepool/default'])('of %s', async (ask) => {
  const answer = async (claims: readonly object[]) => {
    const dump = dumpOf(clusterOf(claims, ask));
    return (await askThrough(dumpReader(openDump(encodeDump(dump, false))), ask)).cause;
  };
  expect(await answer(young)).not.toMatchObject({ id: 'L4.2' });
  for (const claims of [
    [FAILING, ...young],
    [...young, FAILING],
  ])
    expect(await answer(claims)).toMatchObject({ id: 'L4.2', facts: { claim: 'default-a1b2c' } });
});

test('a dump has the instances of NodeClaims that fail before others', async () => {
  const joining = young.map((claim) => ({ ...claim, upTo: 'launched' }));
  const late = { ...FAILING, upTo: 'launched', age: '20m', conditions: {} };
  const asked: string[] = [];
  const cloud = azureDiagnosis();
  const evidence = {
    ...cloud.evidence,
    readInstance: async (_: unknown, { name }: { readonly name: string }) => {
      asked.push(name);
      return undefined;
    },
  };
  const reader = dumpReader(dumpOf(clusterOf([...joining, late], 'pod/shop/web')));
  await makeDump({ reader, cloud: { ...cloud, evidence: evidence as never }, madeBy: 'test' });
  expect(asked).toHaveLength(10);
  expect(asked[0]).toBe('default-a1b2c');
});
