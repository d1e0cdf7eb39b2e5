/** A pod on a node that is not Ready has the cause of the node: nobody should have to ask twice. */
import { expect, test } from 'vitest';

import { type CorpusCase, corpus, runObjects } from './corpus.ts';

const CASES = corpus().filter(
  ({ ask, playground, nodes = [], expect: { cause } }) =>
    ask.startsWith('node/') &&
    playground === undefined &&
    cause !== undefined &&
    nodes.length === 1 &&
    !['True', undefined].includes(nodes[0]!.ready?.status),
);

test('there are cases of dead nodes', () => {
  expect(CASES.length).toBeGreaterThan(20);
});

test.each(CASES.map((one) => [one.file, one] as const))('a pod on the node of %s', async (_, one) => {
  const { explanation, complaint } = await runObjects(onNode(one));
  expect(explanation?.cause?.id, complaint).toBe(one.expect.cause);
});

// ---------------------------------------------------------------------------------------------------

function onNode(one: CorpusCase): CorpusCase {
  const node = one.ask.slice('node/'.length);
  const pod = { name: 'there', node, ready: false, age: '1h', container: { runs: '1h' } };
  return {
    ...one,
    ask: 'pod/shop/there',
    pods: [...(one.pods ?? []), pod],
    expect: { cause: one.expect.cause! },
  };
}
