/**
 * One request on one resource, as handlers and strategies see it: who, what, where, with which options.
 * Routing and authentication are done when a Call exists.
 */
import type { Stored as StoredObject, World } from '@chandler/kube';
import type { ResourceAttributes } from '../edge/auth/attributes.ts';
import type { FieldValidation, RequestContext, Resource, UserInfo } from '../resource.ts';
import type { Parts } from './parts.ts';
import { Warnings } from './warnings.ts';
import { managerOf, NO_WRITE_OPTIONS, type WriteOptions } from './write-options.ts';

export interface CallTarget {
  readonly resource: Resource;
  readonly subresource?: string;
  readonly namespace?: string;
  readonly name?: string;
}

export class Call implements RequestContext {
  readonly parts: Parts;
  readonly resource: Resource;
  readonly subresource: string | undefined;
  readonly namespace: string | undefined;
  readonly name: string | undefined;
  readonly user: UserInfo;
  readonly userAgent: string | undefined;
  options: WriteOptions = NO_WRITE_OPTIONS;
  /** The object comes with the program and was validated when it was built. */
  trusted = false;
  readonly #warnings = new Warnings();
  #now: string | undefined;

  constructor(parts: Parts, target: CallTarget, user: UserInfo, userAgent?: string) {
    this.parts = parts;
    this.resource = target.resource;
    this.subresource = target.subresource;
    this.namespace = target.namespace;
    this.name = target.name;
    this.user = user;
    this.userAgent = userAgent;
  }

  /** The name in the path; empty on a collection. */
  get objectName(): string {
    return this.name ?? '';
  }

  get fieldManager(): string {
    return managerOf(this.options, this.userAgent);
  }

  get fieldValidation(): FieldValidation {
    return this.options.fieldValidation;
  }

  get dryRun(): boolean {
    return this.options.dryRun;
  }

  get now(): string {
    this.#now ??= timestamp(this.parts.world);
    return this.#now;
  }

  get warnings(): readonly string[] {
    return this.#warnings.texts;
  }

  warn(text: string): void {
    this.#warnings.add(text);
  }

  lookup(storageKey: string, namespace: string, name: string): StoredObject | undefined {
    return this.parts.store.get(storageKey, namespace, name)?.object;
  }

  *list(storageKey: string, namespace?: string): Generator<StoredObject> {
    for (const item of this.parts.store.list(storageKey, namespace)) yield item.object;
  }
}

/** What an authorizer is asked about a call. */
export function attributesOf(call: Call, verb: string): ResourceAttributes {
  const { user, resource, subresource = '', namespace = '', name = '' } = call;
  return { user, verb, group: resource.group, resource: resource.plural, subresource, namespace, name };
}

/** RFC 3339 with seconds, in UTC. */
export function timestamp(world: World): string {
  return timestampOf(world.clock.now());
}

export function timestampOf(ms: number): string {
  const second = Math.floor(ms / 1000);
  if (second !== lastSecond) {
    lastSecond = second;
    lastTimestamp = `${new Date(second * 1000).toISOString().slice(0, 19)}Z`;
  }
  return lastTimestamp;
}

/** Most requests come in the second of the one before. */
let lastSecond = Number.NaN;
let lastTimestamp = '';

/** The server acting for itself: the collector, the first objects. */
export const SYSTEM_USER: UserInfo = {
  username: 'system:apiserver',
  groups: ['system:masters', 'system:authenticated'],
};

export function systemCall(parts: Parts, target: CallTarget, manager: string): Call {
  return new Call(parts, target, SYSTEM_USER, manager);
}
