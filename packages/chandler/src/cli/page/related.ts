/** What belongs to an object, from the objects that the page watches. Pure. */
import type { KubeObject, Stored } from '@chandler/kube';
import { KarpenterLabel, type NodeClaim, type NodePool } from '../../api/index.ts';
import type { ModelSources } from '../../dashboard/index.ts';
import type { PageSubject } from './page-subject.ts';

/** As subjects of other pages. */
export function relatedTo(
  { resource, key }: PageSubject,
  object: Stored,
  sources: ModelSources,
): readonly string[] {
  const related = RELATED[resource.kind] ?? poolsOfClass;
  return related({ object, name: key.name, kind: resource.kind, sources }).slice(0, MAX_RELATED);
}

// ---------------------------------------------------------------------------------------------------

interface Question {
  readonly object: Stored;
  readonly name: string;
  readonly kind: string;
  readonly sources: ModelSources;
}

const MAX_RELATED = 200;

const RELATED: Readonly<Record<string, ((question: Question) => readonly string[]) | undefined>> = {
  Node: ({ object, name, sources }) => [
    ...[...sources.claims.values()]
      .filter(({ status }) => status?.nodeName === name)
      .map(({ metadata }) => `NodeClaim/${metadata.name}`),
    ...poolOf(object),
    ...podsOn(name, sources),
  ],
  NodeClaim: ({ object, sources }) => {
    const claim = object as unknown as Stored<NodeClaim>;
    const node = claim.status?.nodeName;
    // Of one that is gone there may be events only.
    const { nodeClassRef } = (claim.spec ?? {}) as Partial<NodeClaim['spec']>;
    return [
      ...(node === undefined || node === '' ? [] : [`Node/${node}`]),
      ...poolOf(object),
      ...(nodeClassRef === undefined ? [] : [classOf(nodeClassRef)]),
      ...(node === undefined || node === '' ? [] : podsOn(node, sources)),
    ];
  },
  NodePool: ({ object, name, sources }) => [
    classOf((object as unknown as Stored<NodePool>).spec.template.spec.nodeClassRef),
    ...[...sources.claims.values()]
      .filter(({ metadata }) => metadata.labels?.[KarpenterLabel.nodePool] === name)
      .map(({ metadata }) => `NodeClaim/${metadata.name}`),
  ],
  Pod: ({ object }) => {
    const { nodeName } = (object['spec'] ?? {}) as { readonly nodeName?: string };
    return nodeName === undefined ? [] : [`Node/${nodeName}`];
  },
};

function poolsOfClass({ name, kind, sources }: Question): readonly string[] {
  return [...sources.pools.values()]
    .filter(({ spec }) => classOf(spec.template.spec.nodeClassRef) === `${kind}/${name}`)
    .map(({ metadata }) => `NodePool/${metadata.name}`);
}

function poolOf({ metadata }: KubeObject): readonly string[] {
  const pool = metadata.labels?.[KarpenterLabel.nodePool];
  return pool === undefined ? [] : [`NodePool/${pool}`];
}

function classOf({ kind, name }: { readonly kind: string; readonly name: string }): string {
  return `${kind}/${name}`;
}

function podsOn(node: string, { pods }: ModelSources): readonly string[] {
  return [...(pods?.onNode(node) ?? [])].map(({ metadata }) => `Pod/${metadata.namespace}/${metadata.name}`);
}
