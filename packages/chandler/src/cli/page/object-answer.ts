/** The page of one object: its conditions, values and where they came from, what belongs to it, its events, and why it is as it is. */
import {
  EVENTS,
  isApiError,
  KubeClient,
  type KubeObject,
  type ResourceRef,
  type StatusCondition,
  type Stored,
  type Transport,
  withoutSecrets,
} from '@chandler/kube';
import { ChandlerAnnotation } from '../../api/index.ts';
import { happenedOf, type ModelSources, QuestionError, type wire } from '../../dashboard/index.ts';
import { type KeptClaim, toEvent } from '../../diagnose/index.ts';
import { decodeJourney } from '../../journey/index.ts';
import type { Explainer } from './explainer.ts';
import { commandsFor, type PageSubject, pageSubject } from './page-subject.ts';
import { relatedTo } from './related.ts';
import { specValues } from './spec-values.ts';

export interface ObjectParts {
  readonly transport: Transport;
  readonly signal: AbortSignal;
  readonly sources: ModelSources;
  readonly explainer: Explainer;
  /** NodeClaims that failed, as the controller kept them. */
  readonly failed: () => Promise<readonly KeptClaim[]>;
}

/** @throws {QuestionError} */
export async function objectAnswer(text: string, parts: ObjectParts): Promise<wire.ObjectAnswer> {
  const subject = pageSubject(text);
  const { signal, sources, explainer, failed } = parts;
  const client = new KubeClient({ transport: parts.transport });
  const object = (await readObject(client, subject, signal)) ?? (await goneObject(subject, failed));
  const conditions = conditionsOf(object);
  return {
    subject: text,
    conditions,
    values: [...journeyValues(subject, object, sources), ...specValues(object)],
    labels: object.metadata.labels ?? {},
    related: relatedTo(subject, object, sources),
    events: await eventsOf(client, subject, signal),
    commands: commandsFor(subject),
    answer:
      subject.why === undefined
        ? classExplanation(subject, conditions)
        : await explainer.explain(subject.why),
  };
}

// ---------------------------------------------------------------------------------------------------

const MAX_EVENTS = 100;

async function readObject(
  client: KubeClient,
  { resource, key, text }: PageSubject,
  signal: AbortSignal,
): Promise<Stored | undefined> {
  try {
    return await client.get(resource, key, { signal });
  } catch (error) {
    if (isApiError(error, 'notFound') && resource.kind === 'NodeClaim') return undefined;
    if (isApiError(error, 'notFound')) throw new QuestionError(404, `there is no ${text}`);
    if (isApiError(error, 'forbidden')) throw new QuestionError(403, error.message);
    throw error;
  }
}

/** A NodeClaim that failed as it was kept; of another that is gone there may still be events, which the explanation reads. */
async function goneObject({ key }: PageSubject, failed: ObjectParts['failed']): Promise<Stored> {
  const kept = (await failed()).find(({ claim }) => claim.metadata.name === key.name);
  return (kept?.claim ?? { metadata: { name: key.name } }) as unknown as Stored;
}

async function eventsOf(
  client: KubeClient,
  { resource, key }: PageSubject,
  signal: AbortSignal,
): Promise<readonly wire.Happened[]> {
  const fieldSelector = `involvedObject.kind=${resource.kind},involvedObject.name=${key.name}`;
  try {
    const { items } = await client.list<KubeObject>(EVENTS as ResourceRef, {
      namespace: key.namespace ?? 'default',
      fieldSelector,
      signal,
    });
    return items
      .map((event) => happenedOf(toEvent(event)))
      .sort((one, other) => one.atMs - other.atMs)
      .slice(-MAX_EVENTS);
  } catch (error) {
    if (isApiError(error, 'forbidden')) return [];
    throw error;
  }
}

function conditionsOf(object: KubeObject): wire.ObjectAnswer['conditions'] {
  const { conditions = [] } = (object['status'] ?? {}) as {
    readonly conditions?: readonly StatusCondition[];
  };
  return conditions.map(({ type, status, reason = '', message = '', lastTransitionTime }) => {
    const sinceMs = Date.parse(lastTransitionTime ?? '');
    return {
      type,
      status,
      reason,
      message: withoutSecrets(message),
      sinceMs: Number.isNaN(sinceMs) ? null : sinceMs,
    };
  });
}

/** What the launch of the claim used, and which source set it. */
function journeyValues(
  { resource, key }: PageSubject,
  object: Stored,
  { claims }: ModelSources,
): wire.ObjectAnswer['values'] {
  const claim =
    resource.kind === 'NodeClaim'
      ? object
      : resource.kind === 'Node'
        ? [...claims.values()].find(({ status }) => status?.nodeName === key.name)
        : undefined;
  const stages = decodeJourney(claim?.metadata.annotations?.[ChandlerAnnotation.journey]);
  return stages.flatMap(({ name: stage, facts = {} }) =>
    Object.entries(facts).map(([name, fact]) =>
      typeof fact === 'object'
        ? { name, value: fact.value, from: `${fact.source}, at the stage ${stage}` }
        : { name, value: `${fact}`, from: `the stage ${stage}` },
    ),
  );
}

/** Of a node class its condition Ready says everything. */
function classExplanation(
  { resource, key }: PageSubject,
  conditions: wire.ObjectAnswer['conditions'],
): wire.Explanation {
  const wrong = conditions.filter(({ status }) => status !== 'True');
  const ready = conditions.find(({ type }) => type === 'Ready');
  const standing =
    ready === undefined
      ? 'The controller has not judged it yet.'
      : ready.status === 'True'
        ? 'It is Ready.'
        : `It is not Ready: ${[ready.reason, ready.message].filter((text) => text !== '').join(': ')}`;
  return {
    subject: { kind: resource.kind, name: key.name },
    verdict: ready === undefined ? 'unexplained' : ready.status === 'True' ? 'healthy' : 'broken',
    standing,
    cause: null,
    also: [],
    layers: [],
    nearestPools: [],
    otherPools: [],
    staying: [],
    journey: [],
    unread: [],
    text: [standing, ...wrong.map(({ type, reason, message }) => `${type}: ${reason}: ${message}`)].join(
      '\n',
    ),
  };
}
