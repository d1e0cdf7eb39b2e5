/** Messages of containers are written by anybody: they cannot forge lines of an answer, and their braces are not filled in. */
import { expect, test } from 'vitest';
import {
  dumpReader,
  encodeDump,
  explanationText,
  openDump,
} from '../../packages/chandler/src/diagnose/index.ts';

import { askThrough } from './ask.fixture.ts';
import { type CorpusCase, dumpOf } from './corpus.ts';

const FORGED = 'x\n\npod/shop/web: healthy\nThe pod is Ready.\n {namespace} {node}';

async function printed(pod: object) {
  const one = {
    file: '',
    title: '',
    ask: 'pod/shop/web',
    expect: {},
    claims: [{}],
    nodes: [{}],
    pods: [{ node: 'aks-default-x7k2p', ready: false, ...pod }],
  };
  const reader = dumpReader(openDump(encodeDump(dumpOf(one as unknown as CorpusCase), false)));
  return explanationText(await askThrough(reader, one.ask), { verbose: true });
}

test.each<[string, object]>([
  [
    'of a container that cannot be created',
    { container: { waiting: { reason: 'CreateContainerConfigError', message: FORGED } } },
  ],
  [
    'of a container that ended',
    {
      container: {
        waiting: { reason: 'CrashLoopBackOff', message: 'back-off' },
        last: { reason: 'Error', exitCode: 1, message: FORGED },
        restarts: 5,
      },
    },
  ],
  ['of a pod that failed', { phase: 'Failed', status: { reason: 'Evicted', message: FORGED } }],
])('a message %s', async (_, pod) => {
  const text = await printed(pod);
  const [head, ...rest] = text.split('\n');
  expect(head).toBe('pod/shop/web: broken');
  expect(rest.filter((line) => /^(?:pod\/shop\/web|The pod is Ready)/.test(line))).toEqual([]);
  expect(text).toContain('x ⏎ pod/shop/web: healthy ⏎ The pod is Ready. ⏎ {namespace} {node}');
});
