/** Options of the controller whose values a dump hides: what is wrong with them cannot be judged from the dump. */
import { describe, expect, test } from 'vitest';
import type { ReadObject } from '../../packages/chandler/src/causes/index.ts';
import { azureDiagnosis } from '../../packages/chandler/src/cloud/azure/index.ts';
import {
  dumpReader,
  encodeDump,
  explain,
  gather,
  openDump,
  parseSubject,
} from '../../packages/chandler/src/diagnose/index.ts';

import type { ControllerWords } from './cluster-objects.ts';
import { dumpOf } from './corpus.ts';

const CLOUD = azureDiagnosis();
const TOKEN = 'abcdef.0123456789abcdef';

/** The answer about a NodePool, and which options are refused, from a dump of a cluster with this controller. */
async function answer(controller: ControllerWords, data?: Readonly<Record<string, string>>) {
  const configMap: ReadObject = {
    apiVersion: 'v1',
    kind: 'ConfigMap',
    metadata: { name: 'karpenter-global-settings', namespace: 'kube-system' },
    data,
  };
  const objects = data === undefined ? [] : [configMap];
  const ask = 'nodepool/default';
  const bytes = encodeDump(dumpOf({ file: 'here', title: '', ask, expect: {}, controller, objects }), false);
  const reader = dumpReader(openDump(bytes));
  const subject = parseSubject([ask]);
  if (typeof subject === 'string') throw new Error(subject);
  const gathered = await gather(subject, { reader, cloud: CLOUD });
  if (gathered.state !== 'gathered') throw new Error(gathered.message);
  return {
    cause: explain(gathered.subject, gathered.evidence, CLOUD).cause?.id,
    refused: gathered.evidence.first('options')!.problems.map(({ option }) => option),
    isHidden: Buffer.from(bytes).toString().includes('[redacted]'),
  };
}

describe('a dump that hides the value of an option', () => {
  test.each<[string, ControllerWords, Readonly<Record<string, string>>?]>([
    ['a bootstrap token in the environment', { env: { KUBELET_BOOTSTRAP_TOKEN: TOKEN } }],
    ['a bootstrap token in an argument', { args: [`--kubelet-bootstrap-token=${TOKEN}`] }],
    ['a bootstrap token in two arguments', { args: ['--kubelet-bootstrap-token', TOKEN] }],
    ['a variable that looks like a secret', { env: { VM_MEMORY_OVERHEAD_PERCENT: TOKEN } }],
    ['a setting that looks like a secret', {}, { 'azure.vmMemoryOverheadPercent': TOKEN }],
  ])('does not call the configuration broken: %s', async (_, controller, data) => {
    expect(await answer(controller, data)).toEqual({ cause: undefined, refused: [], isHidden: true });
  });

  test('still says what is wrong with values that it has', async () => {
    const env = { KUBELET_BOOTSTRAP_TOKEN: TOKEN };
    const wrong = { ...env, VM_MEMORY_OVERHEAD_PERCENT: 'lots' };
    const refused = { cause: 'configuration.option-refused', refused: ['vmMemoryOverheadPercent'] };
    expect(await answer({ env: wrong })).toMatchObject(refused);
    expect(await answer({ env }, { 'azure.vmMemoryOverheadPercent': 'lots' })).toMatchObject(refused);
  });
});
