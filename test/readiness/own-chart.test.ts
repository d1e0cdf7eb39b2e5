/** Values of Chandler's own chart, as `chandler configure` writes them. */
import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { expect, test } from 'vitest';
import { controller, liveCluster, object } from './examples/cluster.ts';
import { judged, statusesOf } from './examples/judged.ts';

const file = readFileSync(join(import.meta.dirname, '../configure/golden/aks/values.yaml'), 'utf8');

test('options below settings and secrets are found, and the chart labels its pods', () => {
  const failed = judged({ 'values.yaml': file }).findings.filter(({ status }) => status === 'fail');
  expect(failed.map(({ id, message }) => `${id}: ${message}`)).toEqual([]);
  expect(statusesOf('A-23', { 'values.yaml': file })).not.toContain('fail');
});

test.each(['pod-identity', 'irsa'])('what configure eks writes with %s fails no check', (identity) => {
  const golden = (name: string) =>
    readFileSync(join(import.meta.dirname, '../configure/golden/eks', identity, name), 'utf8');
  const { findings } = judged({ 'values.yaml': golden('values.yaml'), 'main.tf': golden('main.tf') });
  const ids = (wanted: string) => findings.filter(({ status }) => status === wanted).map(({ id }) => id);
  expect(ids('fail')).toEqual([]);
  expect(ids('pass')).toEqual(expect.arrayContaining(['S-07', 'S-09', 'S-46', 'K-09']));
});

test('a required option that is absent is still found', () => {
  const without = file.replace(/^ {2}vnetSubnetId: .*\n/m, '');
  expect(statusesOf('A-23', { 'values.yaml': without })).toContain('fail');
});

test('in a live cluster settings of the chart are in a ConfigMap: what is not seen is not absent', () => {
  const requirements = [{ key: 'karpenter.sh/capacity-type', operator: 'In', values: ['spot'] }];
  const nodeClassRef = { group: 'karpenter.k8s.aws', kind: 'EC2NodeClass', name: 'default' };
  const spot = object('karpenter.sh/v1', 'NodePool', 'spot', {
    spec: { template: { spec: { nodeClassRef, requirements } } },
  });
  const own = JSON.parse(JSON.stringify(controller()).replaceAll('"karpenter"', '"chandler"')) as object;
  expect(statusesOf('K-07', { 'cluster.yaml': liveCluster(controller(), spot) })).toEqual(['fail']);
  expect(statusesOf('K-07', { 'cluster.yaml': liveCluster(own, spot) })).toEqual(['skip']);
});
