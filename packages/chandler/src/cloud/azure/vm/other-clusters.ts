/**
 * Things in our resource group that carry the name of another cluster. Somebody runs two clusters in one group, or has
 * copied the settings of another: then its whole fleet would be taken for VMs whose claims are gone. They are left
 * out of what is listed, and this is logged. What carries no cluster name is judged by its claim.
 */
import type { Log } from '@chandler/kube';
import { readTag, Tag, type Tags } from './tags.ts';

export interface OtherClustersOptions {
  readonly log: Log;
  readonly resourceGroup: string;
  /** Ours. */
  readonly clusterName: () => string;
}

export class OtherClusters {
  readonly #options: OtherClustersOptions;
  readonly #logged = new Set<string>();

  constructor(options: OtherClustersOptions) {
    this.#options = options;
  }

  without<T extends { readonly name: string; readonly tags: Tags }>(things: readonly T[]): readonly T[] {
    const ours = this.#options.clusterName();
    return things.filter(({ name, tags }) => {
      const cluster = readTag(tags, Tag.cluster);
      if (cluster === undefined || cluster.toLowerCase() === ours.toLowerCase()) return true;
      this.#warn(cluster, name, ours);
      return false;
    });
  }

  #warn(cluster: string, example: string, ours: string): void {
    const key = cluster.toLowerCase();
    if (this.#logged.has(key)) return;
    this.#logged.add(key);
    const { log, resourceGroup } = this.#options;
    log.warn(
      'ignored VMs of another cluster in the node resource group; check node-resource-group and cluster-name',
      { cluster, example, ours, resourceGroup },
    );
  }
}
