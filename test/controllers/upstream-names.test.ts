import type { KeptSpec } from '@chandler/kube/testing';
import { afterEach, describe, expect, test } from 'vitest';
import { launchCounters } from '../../packages/chandler/src/cloud/azure/testing.ts';
import { DEFAULT_SETTINGS, metricNamesOf } from '../../packages/chandler/src/controllers/testing.ts';
import { recordBuildInfo } from '../../packages/chandler/src/operator/testing.ts';
import { CORE_OPTIONS } from '../../packages/chandler/src/settings/index.ts';

import { type FullStage, fullStage } from './all-controllers.ts';
import { METRICS, OPTIONS } from './upstream-names.table.ts';

let full: FullStage | undefined;
afterEach(async () => {
  await full?.stage.end();
  full = undefined;
});

const ALL_GATES = Object.fromEntries(Object.keys(DEFAULT_SETTINGS.gates).map((gate) => [gate, true]));

/** Everything that is measured by a controller with all gates on, and by the parts that answer for rows of their own. */
async function registered(): Promise<ReadonlyMap<string, KeptSpec>> {
  full = await fullStage({ settings: { gates: ALL_GATES as typeof DEFAULT_SETTINGS.gates } });
  const { metrics } = full.stage.world;
  launchCounters(metrics);
  recordBuildInfo(metrics, { version: '0', commit: 'c', runtime: 'v24.0.0', arch: 'x64' });
  return full.stage.world.metricSpecs;
}

describe('metrics', () => {
  test('of Karpenter all exist, with the same type and labels', async () => {
    const specs = await registered();
    const wellKnown = [...metricNamesOf(full!.stage.context.labelRules.wellKnown).keys()];
    const wanted = METRICS.map((row) => ({
      name: row.name,
      kind: row.kind,
      labels: [...row.labels, ...(row.wellKnown === true ? wellKnown : [])].sort(),
    }));
    const found = wanted.map(({ name }) => {
      const spec = specs.get(name);
      return { name, kind: spec?.kind, labels: [...(spec?.labels ?? [])].sort() };
    });
    expect(found).toEqual(wanted);
  });

  test('under names of Karpenter are no others', async () => {
    const known = new Set(METRICS.map(({ name }) => name));
    const strange = [...(await registered()).keys()].filter(
      (name) => /^(karpenter|operator)_/.test(name) && !known.has(name),
    );
    expect(strange).toEqual([]);
  });

  test('of nodes carry the well-known labels under their short names', () => {
    const names = metricNamesOf(['karpenter.sh/nodepool', 'a.io/sku-cpu', 'b.io/sku-cpu', 'plain']);
    expect([...names]).toEqual([
      ['sku_cpu', ['a.io/sku-cpu', 'b.io/sku-cpu']],
      ['nodepool', ['karpenter.sh/nodepool']],
    ]);
  });
});

describe('options', () => {
  test('of Karpenter all exist, with their variables and defaults', () => {
    const rows = Object.values(CORE_OPTIONS) as readonly { flag: string; env?: unknown; default: unknown }[];
    const found = OPTIONS.map(([flag]) => {
      const row = rows.find((each) => each.flag === flag);
      return [flag, row?.env, row?.default];
    });
    expect(found).toEqual(OPTIONS);
  });

  test('gates have the defaults that controllers use', () => {
    const [, , gates] = OPTIONS.find(([flag]) => flag === 'feature-gates')!;
    expect(DEFAULT_SETTINGS.gates).toEqual(gates);
  });
});
