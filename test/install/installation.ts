/** The release on the cluster: helm as people run it, and what they ask kubectl about it. */
import assert from 'node:assert/strict';
import { writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { CUSTOM_RESOURCE_DEFINITIONS, type KubeObject, NODES, PODS, type Stored } from '@chandler/kube';
import { ROOT } from '../../scripts/build/paths.ts';
import { type InstallCluster, NAMESPACE, untilNothingLacks } from './cluster.ts';
import { chartOf, REPOSITORY, type Version } from './images.ts';
import type { InstallCloud, Values } from './install-cloud.ts';

export const RELEASE = 'chandler';
const WAIT = ['--wait', '--timeout', '4m'];

export class Installation {
  readonly cluster: InstallCluster;
  readonly cloud: InstallCloud;

  constructor(cluster: InstallCluster, cloud: InstallCloud) {
    this.cluster = cluster;
    this.cloud = cloud;
  }

  /** @returns what helm printed. */
  async installCrds(): Promise<string> {
    return this.helm('install', 'chandler-crd', join(ROOT, 'charts', 'chandler-crd'), ...WAIT);
  }

  async install(changed: Values = {}): Promise<string> {
    return this.helm('install', RELEASE, chartOf('own'), '--values', this.#valuesFile(changed), ...WAIT);
  }

  async upgrade(changed: Values, to: Version = 'own'): Promise<string> {
    return this.helm('upgrade', RELEASE, chartOf(to), '--values', this.#valuesFile(changed), ...WAIT);
  }

  /** To the revision before. */
  async rollBack(): Promise<string> {
    return this.helm('rollback', RELEASE, ...WAIT);
  }

  async uninstall(): Promise<string> {
    return this.helm('uninstall', RELEASE, ...WAIT);
  }

  async helm(...args: string[]): Promise<string> {
    const { status, out, err } = await this.cluster.helm(...args, '--namespace', NAMESPACE);
    assert.equal(status, 0, `helm ${args.join(' ')}: ${err}${out}\n${this.describe()}`);
    return `${out}${err}`;
  }

  async pods(): Promise<readonly Stored<KubeObject>[]> {
    const labelSelector = `app.kubernetes.io/instance=${RELEASE}`;
    return (await this.cluster.admin.list(PODS, { namespace: NAMESPACE, labelSelector })).items;
  }

  /** Names of pods, sorted. */
  async podNames(): Promise<readonly string[]> {
    return (await this.pods()).map(({ metadata }) => metadata.name!).sort();
  }

  async create(objects: readonly KubeObject[]): Promise<void> {
    if (objects.length === 0) return;
    const file = join(this.cluster.folder, 'objects.json');
    writeFileSync(file, JSON.stringify({ apiVersion: 'v1', kind: 'List', items: objects }));
    this.cluster.kubectl('apply', '--filename', file);
  }

  /** What somebody looks at when pods do not start. */
  describe(): string {
    const { kubectl } = this.cluster;
    const selector = ['--namespace', NAMESPACE, '--selector', `app.kubernetes.io/instance=${RELEASE}`];
    return [
      kubectl('get', 'pods', '-o', 'wide', ...selector),
      kubectl('describe', 'pods', ...selector),
      kubectl('logs', '--tail=30', '--prefix', '--ignore-errors', ...selector),
    ].join('\n');
  }

  async untilNodesReady(count: number): Promise<void> {
    await untilNothingLacks(`${count} nodes are Ready`, async () => {
      const nodes = (await this.cluster.admin.list(NODES)).items;
      const ready = nodes.filter((node) => isTrue(node, 'Ready'));
      return ready.length === count ? undefined : JSON.stringify(nodes.map((node) => node['status']));
    });
  }

  async crdNames(): Promise<readonly string[]> {
    const { items } = await this.cluster.admin.list(CUSTOM_RESOURCE_DEFINITIONS);
    return items.map(({ metadata }) => metadata.name!).sort();
  }

  #valuesFile(changed: Values): string {
    const file = join(this.cluster.folder, 'values.json');
    writeFileSync(
      file,
      JSON.stringify(merged({ image: { repository: REPOSITORY }, ...this.cloud.values }, changed)),
    );
    return file;
  }
}

export function isTrue(object: KubeObject, type: string): boolean {
  const { conditions = [] } = (object['status'] ?? {}) as {
    conditions?: readonly { readonly type: string; readonly status: string }[];
  };
  return conditions.some((each) => each.type === type && each.status === 'True');
}

// ---------------------------------------------------------------------------------------------------

/** As helm merges a second values file. */
function merged(base: Values, changed: Values): Values {
  const isMap = (value: unknown): value is Values =>
    typeof value === 'object' && value !== null && !Array.isArray(value);
  const entries = Object.entries(changed).map(([key, value]) => {
    const before = base[key];
    return [key, isMap(before) && isMap(value) ? merged(before, value) : value];
  });
  return { ...base, ...Object.fromEntries(entries) };
}
