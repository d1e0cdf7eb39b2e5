import { expect, test } from 'vitest';
import { ec2NodeClassHash, KarpenterLabel } from '../../api/index.ts';
import { nodeClassesOf } from '../../cloud/registry.ts';
import { judgeNodes } from './judge-nodes.ts';
import type { Picture } from './picture.ts';

const KEY = 'karpenter.k8s.aws/ec2nodeclass-hash';
const SPEC = { role: 'nodes', amiSelectorTerms: [{ alias: 'al2023@latest' }] };

/** A class whose hash Karpenter wrote with a CA bundle, and one claim of it. */
async function codes(
  bundle: string | undefined,
  known: readonly (string | undefined)[],
): Promise<readonly string[]> {
  const hash = ec2NodeClassHash({ spec: SPEC }, { caBundle: bundle });
  const annotations = { [KEY]: hash, [`${KEY}-version`]: 'v6' };
  const hashKinds = await Promise.all(known.map((each) => nodeClassesOf('aws', each)));
  const claim = {
    metadata: { name: 'general-1', annotations, labels: { [KarpenterLabel.nodePool]: 'general' } },
    spec: { nodeClassRef: { group: 'karpenter.k8s.aws', kind: 'EC2NodeClass', name: 'default' } },
    status: { conditions: [{ type: 'Initialized', status: 'True' }] },
  };
  const object = { metadata: { name: 'default', annotations }, spec: SPEC };
  const nodeClasses = hashKinds[0]!.map((kind) => ({ kind, objects: [object] }));
  return judgeNodes({ pools: [], claims: [claim], nodeClasses, hashKinds } as unknown as Picture).map(
    ({ code }) => code,
  );
}

test('the CA bundle is part of the hash of an EC2NodeClass: with that of Karpenter no node would drift', async () => {
  expect(await codes(undefined, [undefined])).toEqual([]);
  expect(await codes('Q0E=', [undefined, 'Q0E='])).toEqual([]);
  expect(await codes('Q0E=', [undefined, 'T1RIRVI='])).toEqual(['WouldDrift']);
});
