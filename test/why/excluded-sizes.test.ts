/**
 * A NodePool that excludes the largest size of a family takes pods for the next size: the plan is made with some sizes
 * first, and must not end with those.
 */
import { virtualWorld } from '@chandler/kube/testing';
import { describe, expect, test } from 'vitest';
import type { ReadObject } from '../../packages/chandler/src/causes/index.ts';
import { cataloguePlanner } from '../../packages/chandler/src/cli/testing.ts';
import { awsDiagnosis } from '../../packages/chandler/src/cloud/aws/diagnosis.ts';
import { azureDiagnosis } from '../../packages/chandler/src/cloud/azure/index.ts';
import type { CloudDiagnosis } from '../../packages/chandler/src/cloud/index.ts';
import {
  dumpReader,
  type Explanation,
  encodeDump,
  explain,
  gather,
  openDump,
  parseSubject,
} from '../../packages/chandler/src/diagnose/index.ts';
import { everyNth } from '../part.ts';
import { awsClass, awsController, awsPool } from './aws-objects.ts';
import { aClass, aController, aPool } from './cluster-objects.ts';
import { dumpWith } from './corpus.ts';
import { aPod, NOW_MS } from './objects.ts';

/** Of the families, which are many. */
const EVERY = 12;
const TYPE = 'node.kubernetes.io/instance-type';
const CLOUDS = [
  {
    cloud: azureDiagnosis(),
    family: 'karpenter.azure.com/sku-series',
    aPool,
    around: [...aController(), aClass()],
  },
  {
    cloud: awsDiagnosis(),
    family: 'karpenter.k8s.aws/instance-family',
    aPool: awsPool,
    around: [...awsController(), awsClass()],
  },
];

describe.each(CLOUDS)('on $cloud.name', ({ cloud, family, aPool: pool, around }) => {
  const without = (sizes: readonly Size[], excluded: readonly Size[]) => {
    const requirements = [
      { key: family, operator: 'In', values: [sizes[0]!.family] },
      { key: TYPE, operator: 'NotIn', values: excluded.map(({ name }) => name) },
    ];
    return pool({ spec: { template: { spec: { requirements } } } });
  };

  test('a pod for the second largest size of a family is not too large', async () => {
    const wrong: string[] = [];
    const all = await families(cloud, family, pool(), around);
    const some = all.filter((_, index) => index % EVERY === 0);
    for (const sizes of everyNth(`families of ${cloud.name}`, some, 4)) {
      const largest = sizes.filter(({ cpu }) => cpu === sizes[0]!.cpu);
      const next = sizes[largest.length];
      if (next === undefined || next.cpu < 4) continue;
      const objects = [...around, without(sizes, largest), podOf(next.cpu - 2)];
      if ((await ask(cloud, objects)).cause?.id === 'L6.3') wrong.push(next.name);
    }
    expect(wrong).toEqual([]);
  });

  test('a pod for the largest size of a family, which is excluded, is too large', async () => {
    const all = await families(cloud, family, pool(), around);
    const sizes = all.find((each) => each.length > 2 && each[0]!.cpu > each[1]!.cpu)!;
    const objects = [...around, without(sizes, sizes.slice(0, 1)), podOf(sizes[0]!.cpu - 2)];
    expect((await ask(cloud, objects)).cause?.id).toBe('L6.3');
  });
});

interface Size {
  readonly name: string;
  readonly family: string;
  readonly cpu: number;
}

function podOf(cpu: number): ReadObject {
  const resources = { requests: { cpu: String(cpu) } };
  return aPod({ age: '50s', spec: { containers: [{ name: 'app', image: 'a', resources }] } });
}

async function ask(cloud: CloudDiagnosis, objects: readonly ReadObject[]): Promise<Explanation> {
  const reader = dumpReader(openDump(encodeDump(dumpWith(objects, {}, []), false)));
  const subject = parseSubject(['pod/shop/web']);
  if (typeof subject === 'string') throw new Error(subject);
  const planner = cataloguePlanner(virtualWorld({ startMs: NOW_MS }), reader, cloud);
  const gathered = await gather(subject, { reader, cloud, planner });
  if (gathered.state !== 'gathered') throw new Error(gathered.message);
  return explain(gathered.subject, gathered.evidence, cloud);
}

/** The sizes of each family in the catalogue, the largest first. */
async function families(
  cloud: CloudDiagnosis,
  key: string,
  pool: ReadObject,
  around: readonly ReadObject[],
): Promise<readonly (readonly Size[])[]> {
  const reader = dumpReader(openDump(encodeDump(dumpWith(around, {}, []), false)));
  const planner = cataloguePlanner(virtualWorld({ startMs: NOW_MS }), reader, cloud);
  const types = await planner.instanceTypes(pool as never, undefined, 'all');
  const sizes = (types ?? []).flatMap(({ name, requirements, capacity }) => {
    const family = requirements.find((each) => each.key === key)?.values?.[0];
    return family === undefined ? [] : [{ name, family, cpu: Number(capacity['cpu']) }];
  });
  return [...Map.groupBy(sizes, (each) => each.family).values()].map((each) =>
    each.toSorted((one, other) => other.cpu - one.cpu),
  );
}
