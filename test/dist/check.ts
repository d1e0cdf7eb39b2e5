/** `check` as it ships: files of healthy installations, what it prints about itself, and errors of input. */
import assert from 'node:assert/strict';
import { join } from 'node:path';
import { ROOT } from '../../scripts/build/paths.ts';
import type { Stage } from './suite.ts';

/** Passes at least. */
const ESTATES: Readonly<Record<string, number>> = {
  'access-entries': 40,
  aks: 15,
  'aks-byok': 25,
  'aws-auth': 40,
  irsa: 40,
  'isolated-vpc': 40,
  'pod-identity': 40,
};

interface Printed {
  readonly score: number;
  readonly findings: readonly { readonly id: string; readonly status: string }[];
}

export async function checkCheck({ suite, chandler }: Stage): Promise<void> {
  for (const [estate, passes] of Object.entries(ESTATES))
    await suite.check(`check of the installation ${estate}: no failure`, async () => {
      const { out } = await chandler.run([
        'check',
        join(ROOT, 'test/readiness/estates', estate),
        '-o',
        'json',
      ]);
      const { findings } = JSON.parse(out) as Printed;
      const of = (...statuses: string[]) => findings.filter(({ status }) => statuses.includes(status));
      assert.deepEqual(of('fail', 'error'), []);
      assert.ok(of('pass').length >= passes, `${of('pass').length} pass`);
    });

  await suite.check('check of a wrong installation ends with 1, and says what to do next', async () => {
    const { out } = await chandler.run(['check', join(ROOT, 'test/readiness/estate')], { code: 1 });
    assert.match(out, /^Next: phase 2, S-16/m);
  });

  for (const [flag, pattern] of [
    ['--iam-policy', /"eks:DescribeCluster"/],
    ['--rbac', /kind: ClusterRole/],
    ['--arm-actions', /Microsoft\.ContainerService\/managedClusters\/read/],
  ] as const)
    await suite.check(`check ${flag} prints what it needs`, async () => {
      assert.match((await chandler.run(['check', flag])).out, pattern);
    });

  await suite.check('check of a folder that does not exist ends with 2', async () => {
    assert.match((await chandler.run(['check', './nowhere'], { code: 2 })).err, /nowhere/);
  });
}
