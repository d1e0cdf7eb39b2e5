/** The object that a page of an object is about: `Node/x`, `Pod/shop/x`, `NodePool/x`, a node class. */
import { NODES, type ObjectKey, PODS, type ResourceRef, resourceName } from '@chandler/kube';
import { NODE_CLAIMS, NODE_POOLS } from '../../api/index.ts';
import { DIAGNOSES } from '../../cloud/registry.ts';
import { QuestionError } from '../../dashboard/index.ts';
import type { Subject } from '../../diagnose/index.ts';
import { shellQuote } from '../../settings/index.ts';

export interface PageSubject {
  /** As it was asked for. */
  readonly text: string;
  readonly resource: ResourceRef;
  readonly key: ObjectKey;
  /** What `chandler why` is asked; undefined for a node class. */
  readonly why: Subject | undefined;
}

/** @throws {QuestionError} */
export function pageSubject(text: string): PageSubject {
  const [kind = '', ...rest] = text.split('/');
  const resource = RESOURCES.find((each) => each.kind === kind);
  if (resource === undefined)
    throw new QuestionError(
      400,
      `there is no page for objects of kind "${kind.slice(0, 60)}"`,
      `name one of ${RESOURCES.map((each) => each.kind).join(', ')}`,
    );
  const wanted = resource.namespaced ? 2 : 1;
  if (rest.length !== wanted || !rest.every((part) => NAME.test(part)))
    throw new QuestionError(400, `name it as ${kind}/${resource.namespaced ? 'NAMESPACE/NAME' : 'NAME'}`);
  const [first = '', second] = rest;
  const key = second === undefined ? { name: first } : { namespace: first, name: second };
  const word = WHY_KINDS[kind];
  return { text, resource, key, why: word === undefined ? undefined : { kind: word, ...key } };
}

/** Lines for a terminal; the first describes it. */
export function commandsFor({ resource, key, why }: PageSubject): readonly string[] {
  const place = key.namespace === undefined ? '' : ` -n ${shellQuote(key.namespace)}`;
  const name = `${resource.group === '' ? resource.kind.toLowerCase() : resourceName(resource)} ${shellQuote(key.name)}`;
  return [
    `kubectl describe ${name}${place}`,
    `kubectl get ${name}${place} -o yaml`,
    ...(why === undefined ? [] : [`chandler why ${why.kind}/${shellQuote(key.name)}${place}`]),
  ];
}

// ---------------------------------------------------------------------------------------------------

const RESOURCES: readonly ResourceRef[] = [
  NODES,
  NODE_CLAIMS,
  NODE_POOLS,
  PODS,
  ...DIAGNOSES.flatMap(({ nodeClasses }) => nodeClasses),
] as readonly ResourceRef[];

const WHY_KINDS: Readonly<Record<string, Subject['kind'] | undefined>> = {
  Node: 'node',
  NodeClaim: 'nodeclaim',
  NodePool: 'nodepool',
  Pod: 'pod',
};

/** As the API server lets names be. */
const NAME = /^[a-z0-9]([a-z0-9.-]{0,251}[a-z0-9])?$/;
