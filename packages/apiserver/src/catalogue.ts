/**
 * The resources that are currently served: built-in kinds, and those of CRDs as they are created and deleted.
 * Whether a CRD may be served is decided by its conditions, in rest/definitions.ts.
 */
import { apiVersionOf } from '@chandler/kube';
import type { Catalogue, Resource } from './resource.ts';

export class LiveCatalogue implements Catalogue {
  readonly #builtin: readonly Resource[];
  /** By the name of the CRD. */
  readonly #custom = new Map<string, readonly Resource[]>();
  #all: readonly Resource[] = [];
  #byPath = new Map<string, Resource>();
  #byKind = new Map<string, Resource>();
  #byStorage = new Map<string, Resource>();
  #revision = 0;

  constructor(builtin: readonly Resource[]) {
    this.#builtin = builtin;
    this.#rebuild();
  }

  get revision(): number {
    return this.#revision;
  }

  resource(group: string, version: string, plural: string): Resource | undefined {
    return this.#byPath.get(`${group}/${version}/${plural}`);
  }

  all(): readonly Resource[] {
    return this.#all;
  }

  /** The resource of a kind as owner references name it. */
  ofKind(apiVersion: string, kind: string): Resource | undefined {
    return this.#byKind.get(`${apiVersion}/${kind}`);
  }

  /** One resource for what is stored under a key, the stored version if that is served. */
  ofStorage(key: string): Resource | undefined {
    return this.#byStorage.get(key);
  }

  /** Whether a group is served at all. */
  serves(group: string): boolean {
    return this.#all.some((resource) => resource.group === group);
  }

  servesDefinition(crdName: string): boolean {
    return this.#custom.has(crdName);
  }

  serve(crdName: string, resources: readonly Resource[]): void {
    this.#custom.set(crdName, resources);
    this.#rebuild();
  }

  withdraw(crdName: string): void {
    if (this.#custom.delete(crdName)) this.#rebuild();
  }

  #rebuild(): void {
    this.#all = [...this.#builtin, ...[...this.#custom.values()].flat()];
    this.#byPath = new Map();
    this.#byKind = new Map();
    this.#byStorage = new Map();
    for (const resource of this.#all) {
      const apiVersion = apiVersionOf(resource.group, resource.version);
      this.#byPath.set(`${resource.group}/${resource.version}/${resource.plural}`, resource);
      if (!this.#byKind.has(`${apiVersion}/${resource.kind}`))
        this.#byKind.set(`${apiVersion}/${resource.kind}`, resource);
      const { key } = resource.storage;
      if (!this.#byStorage.has(key) || apiVersion === resource.storage.apiVersion)
        this.#byStorage.set(key, resource);
    }
    this.#revision++;
  }
}
