import { expect, test } from 'vitest';
import { EvidenceSet, filled } from '../causes/index.ts';
import { azureDiagnosis } from '../cloud/azure/index.ts';
import { backgroundFacts, filledCommand } from './background-facts.ts';
import { causesOf } from './causes/index.ts';

const CLOUD = azureDiagnosis();

test('templates of others stay as they are', () => {
  const text = 'the username system:node:{{EC2PrivateDNSName}} of {node}';
  expect(filledCommand(CLOUD, text, {})).toBe('the username system:node:{{EC2PrivateDNSName}} of <node>');
  expect(filled(text, { EC2PrivateDNSName: 'x', node: 'a' })).toBe(
    'the username system:node:{{EC2PrivateDNSName}} of a',
  );
});

test('commands name the controller that was read', () => {
  const controller = {
    kind: 'controller',
    reading: { from: 'kubernetes', what: 'Deployment', atMs: 0 },
    deployment: 'infra/chandler',
    replicas: { wanted: 1, ready: 1 },
    leader: 'x',
    hosting: 'self',
  } as never;
  const facts = backgroundFacts(CLOUD, new EvidenceSet({ records: [controller], atMs: 0 }));
  expect(facts).toMatchObject({ namespace: 'infra', deployment: 'chandler' });
});

test('no cause names the controller by a fixed name', () => {
  const texts = causesOf(CLOUD).flatMap(({ causes }) =>
    causes.flatMap(({ fix, confirm }) => [fix, ...confirm]),
  );
  expect(texts.filter((text) => /deployment[ /]karpenter\b/.test(text))).toEqual([]);
});
