import { describe, expect, test } from 'vitest';
import type { AKSNodeClassStatus } from '../../../api/index.ts';
import type { Sourced } from '../../../settings/index.ts';
import { clusterOptions, clusterReaders } from '../cluster/cluster.fixture.ts';
import { ClusterDetector } from '../cluster/detector.ts';
import { clusterSource } from './cluster-source.ts';
import { conditionOf, IMAGES, nodeClassOf, scene } from './node-class.fixture.ts';

const HOUR_MS = 3_600_000;
const option = (value: string): Sourced<string> => ({ value, source: 'env', path: 'KUBERNETES_VERSION' });
const server = (value: string): Sourced<string> => ({
  value: `v${value}`,
  source: 'cluster',
  path: '/version',
});

/** One process: its versions change from one reconcile to the next, and the status is what the last one wrote. */
function controller(before?: AKSNodeClassStatus) {
  let version = server('1.34.2');
  let status = before;
  const takenNewest: boolean[] = [];
  const { world, status: reconciler } = scene({
    deps: {
      kubernetesVersion: async () => version,
      findImages: async ({ takeNewest }) => {
        takenNewest.push(takeNewest);
        return { images: IMAGES };
      },
    },
  });
  return {
    world,
    takenNewest,
    async follow(next: Sourced<string>): Promise<AKSNodeClassStatus> {
      version = next;
      const read = nodeClassOf({}, status === undefined ? {} : { status });
      status = (await reconciler.reconcile(read)).status;
      return status;
    },
  };
}

describe('a Kubernetes version that is an option', () => {
  test('holds exactly, also below the version of the API server, and images follow at once', async () => {
    const { follow, takenNewest } = controller();
    await follow(server('1.34.2'));
    const status = await follow(option('1.33.0'));
    expect(status.kubernetesVersion).toBe('1.33.0');
    expect(conditionOf(status, 'KubernetesVersionReady')).toMatchObject({
      status: 'True',
      reason: 'KubernetesVersionOption',
      message: expect.stringContaining('KUBERNETES_VERSION'),
    });
    expect(takenNewest).toEqual([true, true]);
    expect((await follow(option('1.32.9'))).kubernetesVersion).toBe('1.32.9');
  });

  test.each([
    ['a lower option', option('1.34.2')],
    ['no option', server('1.34.2')],
  ])('and is a typo is taken back by %s, also by another process', async (_, corrected) => {
    const typo = await controller().follow(option('1.43.2'));
    expect(typo.kubernetesVersion).toBe('1.43.2');
    const { follow, takenNewest } = controller(typo);
    const status = await follow(corrected);
    expect(status.kubernetesVersion).toBe('1.34.2');
    expect(takenNewest).toEqual([true]);
    expect(await follow(corrected)).toEqual(status);
  });

  test('leaves no trace once the API server decides again', async () => {
    const { follow } = controller();
    await follow(option('1.34.0'));
    const status = await follow(server('1.34.2'));
    expect(conditionOf(status, 'KubernetesVersionReady')).toMatchObject({
      reason: 'KubernetesVersionReady',
      message: '',
    });
    expect((await follow(server('1.34.1'))).kubernetesVersion).toBe('1.34.2');
  });
});

describe('a Kubernetes version above that of the API server, without an option', () => {
  const above = async () => controller().follow(server('1.35.0'));

  test('is kept while the API server may still be in the middle of an upgrade, and lowered after an hour', async () => {
    const { follow, world } = controller(await above());
    expect((await follow(server('1.34.2'))).kubernetesVersion).toBe('1.35.0');
    await world.clock.advance(HOUR_MS - 1);
    expect((await follow(server('1.34.2'))).kubernetesVersion).toBe('1.35.0');
    await world.clock.advance(1);
    expect((await follow(server('1.34.2'))).kubernetesVersion).toBe('1.34.2');
  });

  test('is kept when the API server reaches it: the hour starts again with the next lower answer', async () => {
    const { follow, world } = controller(await above());
    await follow(server('1.34.2'));
    await world.clock.advance(HOUR_MS / 2);
    await follow(server('1.35.0'));
    await world.clock.advance(HOUR_MS / 2);
    expect((await follow(server('1.34.2'))).kubernetesVersion).toBe('1.35.0');
  });
});

describe('an upgrade of the API server, as the detector sees it', () => {
  /** The class is reconciled every 15 minutes, each time with what the API server answers then. */
  function cluster() {
    let answer = 'v1.34.2';
    let status: AKSNodeClassStatus | undefined;
    const { world, status: reconciler } = scene({
      deps: { kubernetesVersion: () => clusterSource(detector).kubernetesVersion() },
    });
    const detector = new ClusterDetector({
      world,
      readers: clusterReaders({ serverVersion: async () => answer }),
      options: () => clusterOptions(),
    });
    return async (...answers: string[]): Promise<(string | undefined)[]> => {
      const versions: (string | undefined)[] = [];
      for (const next of answers) {
        answer = `v${next}`;
        const read = nodeClassOf({}, status === undefined ? {} : { status });
        status = (await reconciler.reconcile(read)).status;
        versions.push(status.kubernetesVersion);
        await world.clock.advance(HOUR_MS / 4);
      }
      return versions;
    };
  }

  test('that is rolled back lowers the version of new nodes after an hour', async () => {
    const reconcile = cluster();
    expect(await reconcile('1.34.2', '1.35.0')).toEqual(['1.34.2', '1.35.0']);
    expect(await reconcile('1.34.2', '1.34.2', '1.34.2', '1.34.2', '1.34.2')).toEqual([
      '1.35.0',
      '1.35.0',
      '1.35.0',
      '1.35.0',
      '1.34.2',
    ]);
  });

  test('whose replicas answer in turns never lowers it', async () => {
    const answers = ['1.35.0', '1.34.2', '1.34.2', '1.35.0', '1.34.2', '1.34.2', '1.35.0', '1.35.0'];
    expect(await cluster()(...answers)).toEqual(answers.map(() => '1.35.0'));
  });
});
