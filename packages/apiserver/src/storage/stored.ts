/**
 * One version of one object, as it is kept: immutable, and rendered to JSON at most once for each API version,
 * however many readers and watchers share it.
 */
import { apiVersionOf, type KubeObject, type Stored as StoredObject } from '@chandler/kube';
import type { Resource } from '../resource.ts';
import { cloneJson, freezeJson } from './json.ts';

export class Stored {
  readonly object: StoredObject;
  readonly revision: number;
  #bare: string | undefined;
  /** Set on what is no longer in the stored form. */
  #shownAs: Resource | undefined;
  /** By the resource itself: one that was redefined shows its objects anew. */
  #views: Map<Resource, Stored> | undefined;

  /** Takes the object over: it is frozen. */
  constructor(object: StoredObject, revision: number) {
    this.object = freezeJson(object);
    this.revision = revision;
  }

  /** An object that is not stored, or not in this form: the answer to a dry run has no resourceVersion. */
  static unsaved(object: KubeObject, revision: number): Stored {
    return new Stored(object as StoredObject, revision);
  }

  get namespace(): string {
    return this.object.metadata.namespace ?? '';
  }

  get name(): string {
    return this.object.metadata.name;
  }

  /** The JSON text of the object in the form it has here. */
  get text(): string {
    const { kind, apiVersion } = this.object;
    return `{"kind":${JSON.stringify(kind)},"apiVersion":${JSON.stringify(apiVersion)},${this.bareText.slice(1)}`;
  }

  /** The same without kind and apiVersion, which lists of built-in kinds say once for all items. */
  get bareText(): string {
    if (this.#bare === undefined) {
      const { kind: _kind, apiVersion: _apiVersion, ...rest } = this.object;
      this.#bare = JSON.stringify(rest);
    }
    return this.#bare;
  }

  /** The length of its text; 0 until it was rendered. */
  get textLength(): number {
    return this.#bare?.length ?? 0;
  }

  /** The same version of the object as the resource's API version shows it. */
  as(resource: Resource): Stored {
    if (this.#shownAs === resource) return this;
    const { decode } = resource.storage;
    const apiVersion = apiVersionOf(resource.group, resource.version);
    if (decode === undefined && apiVersion === this.object.apiVersion && resource.kind === this.object.kind)
      return this;
    this.#views ??= new Map();
    let view = this.#views.get(resource);
    if (view === undefined) {
      const object =
        decode === undefined
          ? { ...this.object, apiVersion, kind: resource.kind }
          : // Names, UIDs and versions are the same in every form.
            (decode(cloneJson(this.object)) as StoredObject);
      view = new Stored(object, this.revision);
      view.#shownAs = resource;
      this.#views.set(resource, view);
    }
    return view;
  }
}

/** From the form of the resource's API version to the stored form. The object may be changed in place. */
export function toStorage(object: KubeObject, resource: Resource): KubeObject {
  const { storage } = resource;
  if (storage.encode !== undefined) return storage.encode(object);
  if (object.apiVersion === storage.apiVersion && object.kind === storage.kind) return object;
  object.apiVersion = storage.apiVersion;
  object.kind = storage.kind;
  return object;
}
