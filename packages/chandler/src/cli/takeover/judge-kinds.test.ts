import { expect, test } from 'vitest';
import { builtinCrds } from '../../api/index.ts';
import { judgeKinds } from './judge-kinds.ts';
import type { Picture, Webhook } from './picture.ts';

/** CRDs as an API server has them. */
const DEFINITIONS = builtinCrds().map((definition) => ({
  ...definition,
  status: { conditions: [{ type: 'Established', status: 'True' }] },
}));

const SERVED = { service: { namespace: 'kube-system', name: 'karpenter' } };

function codes(given: { readonly without?: string; readonly webhook?: Webhook }): readonly string[] {
  const definitions = DEFINITIONS.filter(({ metadata }) => metadata.name !== given.without);
  const webhooks = given.webhook === undefined ? [] : [given.webhook];
  const karpenterSide = { deployment: { metadata: { namespace: 'kube-system', name: 'autoscaler' } } };
  const picture = { definitions, webhooks, karpenterSide, hashKinds: [[]] } as unknown as Picture;
  return judgeKinds(picture).map(({ code }) => code);
}

function webhook(group: string, failurePolicy?: string, clientConfig: object = SERVED): Webhook {
  const rules = [{ apiGroups: [group] }];
  return {
    metadata: { name: 'validation.webhook.karpenter.sh' },
    webhooks: [{ name: 'v', rules, clientConfig, ...(failurePolicy === undefined ? {} : { failurePolicy }) }],
  } as Webhook;
}

test('our CRDs are as they should be, and one that is missing is a finding', () => {
  expect(codes({})).toEqual([]);
  expect(codes({ without: 'nodepools.karpenter.sh' })).toEqual(['CrdMissing']);
});

test('a webhook that would fail without Karpenter is a finding, one about other groups or that is ignored is not', () => {
  expect(codes({ webhook: webhook('karpenter.sh') })).toEqual(['WebhookLeftOver']);
  expect(codes({ webhook: webhook('karpenter.sh', 'Ignore') })).toEqual([]);
  expect(codes({ webhook: webhook('apps') })).toEqual([]);
});

test.each([
  ['WebhookLeftOver', SERVED],
  ['WebhookLeftOver', { service: { namespace: 'kube-system', name: 'autoscaler' } }],
  ['WebhookOfOthers', { service: { namespace: 'kyverno', name: 'kyverno-svc' } }],
  ['WebhookOfOthers', { service: { namespace: 'kube-system', name: 'policy' } }],
  ['WebhookOfOthers', { url: 'https://policy.example.com/validate' }],
])(
  'a webhook that stops writes is a blocker only if Karpenter serves it: %s for %j',
  (code, clientConfig) => {
    expect(codes({ webhook: webhook('karpenter.sh', 'Fail', clientConfig) })).toEqual([code]);
  },
);
