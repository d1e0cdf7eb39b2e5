/** A case of the corpus that is run and not drawn: a fault is set, a pod is created, and when it is time `why` is asked. */

import { EVENTS, type KubeObject, NODES, PODS } from '@chandler/kube';
import { AKS_NODE_CLASSES, NODE_CLAIMS, NODE_POOLS } from '../../packages/chandler/src/api/index.ts';
import { cataloguePlanner } from '../../packages/chandler/src/cli/testing.ts';
import { azureDiagnosis } from '../../packages/chandler/src/cloud/azure/index.ts';
import { explain, gather, liveReader, parseSubject } from '../../packages/chandler/src/diagnose/index.ts';

import { NODE_CLASS, pod, pool } from '../controllers/stage.ts';
import type { CaseResult, CorpusCase, PlaygroundWords } from './corpus.ts';
import { judge } from './corpus.ts';
import { merged } from './objects.ts';
import { conditionsOf, holds, KINDS, type Shown } from './playground-conditions.ts';
import { crashedController, DEEDS, deployment, speak, spoilToken } from './playground-deeds.ts';
import { OptionsRefused, type WhyStage, whyStage } from './why-stage.ts';

export async function runPlayground(one: CorpusCase, words: PlaygroundWords): Promise<CaseResult> {
  const stage = await whyStage();
  try {
    await play(stage, words);
    const result = await ask(stage, one, words);
    const missing = await unseen(stage, one);
    if (missing.length === 0) return result;
    const complaint = [result.complaint, ...missing].filter((text) => text !== '').join('; ');
    return { ...result, outcome: result.outcome === 'right' ? 'wrong' : result.outcome, complaint };
  } finally {
    await stage.end();
  }
}

// ---------------------------------------------------------------------------------------------------

const LONGEST_MS = 20 * 60_000;

async function play(stage: WhyStage, given: PlaygroundWords): Promise<void> {
  const { arm, azure } = stage.azure;
  const words = filledIn(given, azure.byok.diskEncryptionSetId);
  if (words.keys !== undefined) (azure.byok as unknown as Record<string, () => void>)[words.keys]!();
  prepareAzure(stage, words);
  for (const fault of words.first ?? []) arm.faults.add(fault);
  if (words.deployment) await stage.apply(KINDS['deployment']!, deployment(words.env ?? {}));
  if (!words.stopped) await startOperator(stage, words);
  for (const object of words.objects ?? []) await stage.apply(KINDS[object.kind!.toLowerCase()]!, object);
  await stage.apply(AKS_NODE_CLASSES, merged(NODE_CLASS, words.class ?? {}));
  if (words.before !== false) await stage.until(() => holds(stage, 'nodeclass Ready=True'), 30_000);
  for (const fault of words.faults ?? []) arm.faults.add(fault);
  if (words.pool !== null) await stage.apply(NODE_POOLS, merged(pool('default'), words.pool ?? {}));
  if (words.later !== undefined) {
    await stage.until(() => holds(stage, 'nodepool Ready=True'), 60_000);
    (azure.byok as unknown as Record<string, () => void>)[words.later]!();
  }
  if (words.token !== undefined) await spoilToken(stage, words.token);
  await stage.apply(PODS, merged(pod('web'), words.pod ?? {}));
  await untilTime(stage, words);
  await speak(stage, words);
}

function prepareAzure({ azure: { arm, azure } }: WhyStage, words: PlaygroundWords): void {
  if (words.cluster !== undefined) {
    const [cluster] = arm.resources.list('Microsoft.ContainerService/managedClusters');
    const properties = { ...cluster!.properties, ...words.cluster };
    arm.context.store.put({ ...cluster!, properties });
  }
  if (words.image === undefined) return;
  const [gallery, version = ''] = words.image.split(' ');
  const publishedDate = `${version.slice(0, 4)}-${version.slice(4, 6)}-${version.slice(7, 9)}T00:00:00Z`;
  azure.catalogue.images.publishImage({ gallery: gallery as 'AKSUbuntu', version, publishedDate });
}

/** A process that does not take its options ends, and its Deployment starts it again and again. */
async function startOperator(stage: WhyStage, words: PlaygroundWords): Promise<void> {
  try {
    await stage.inTime(stage.operator(words.env ?? {}).start());
  } catch (error) {
    if (!(error instanceof OptionsRefused)) throw error;
    for (const object of crashedController(words.env ?? {}, error.message))
      await stage.apply(KINDS[object.kind!.toLowerCase()]!, object);
  }
}

async function untilTime(stage: WhyStage, words: PlaygroundWords): Promise<void> {
  const untilMs = (words.minutes ?? 0) * 60_000;
  if (words.until === undefined) {
    await stage.world.clock.advance(untilMs);
    return;
  }
  const reached = await stage.until(() => holds(stage, words.until!), untilMs || LONGEST_MS);
  if (!reached) throw new Error(`the condition was not reached: ${words.until}`);
  if (words.then !== undefined) await stage.world.clock.advance(words.then * 1000);
  if (words.deed === undefined) return;
  await DEEDS[words.deed](stage);
  await stage.world.clock.advance((words.afterwards ?? 0) * 1000);
}

async function ask(stage: WhyStage, one: CorpusCase, words: PlaygroundWords): Promise<CaseResult> {
  // The first that was made: others are replacements.
  const [claim] = (await stage.list(NODE_CLAIMS)).toSorted(byAge);
  const [node] = (await stage.list(NODES)).toSorted(byAge);
  const text = one.ask
    .replace('{claim}', claim?.metadata.name ?? '')
    .replace('{node}', node?.metadata.name ?? '');
  const subject = parseSubject([text]);
  if (typeof subject === 'string') throw new Error(`${one.file}: ${subject}`);
  if (words.first !== undefined) stage.azure.arm.faults.clear();
  const reader = liveReader({ client: stage.admin, clock: stage.world.clock });
  const cloud = azureDiagnosis(words.without === 'azure' ? undefined : stage.reader);
  const gathered = await stage.inTime(
    gather(subject, {
      reader,
      cloud,
      planner: cataloguePlanner(stage.world, reader, cloud),
      expectsCustomerKey: one.byok ?? false,
    }),
  );
  if (gathered.state !== 'gathered')
    return { outcome: 'missed', explanation: undefined, complaint: gathered.message };
  return judge(one, explain(gathered.subject, gathered.evidence, cloud));
}

function byAge(one: KubeObject, other: KubeObject): number {
  return String(one.metadata.creationTimestamp) < String(other.metadata.creationTimestamp) ? -1 : 1;
}

/** What `kubectl describe` was to show, and does not. */
async function unseen(stage: WhyStage, { expect }: CorpusCase): Promise<readonly string[]> {
  const missing: string[] = [];
  if (expect.condition !== undefined) {
    const shown = await allConditions(stage);
    if (!shown.some((text) => text.startsWith(expect.condition!)))
      missing.push(`no condition "${expect.condition}"`);
  }
  if (expect.event !== undefined) {
    await stage.world.clock.advance(1000);
    const shown = (await stage.list(EVENTS)).map((event) => {
      const { kind } = event['involvedObject'] as { readonly kind: string };
      return `${String(event['type'])} ${String(event['reason'])} ${kind}: ${String(event['message'])}`;
    });
    if (!shown.some((text) => text.startsWith(expect.event!))) missing.push(`no event "${expect.event}"`);
  }
  return missing;
}

async function allConditions(stage: WhyStage): Promise<readonly string[]> {
  const lists = await Promise.all(
    [NODE_CLAIMS, NODE_POOLS, AKS_NODE_CLASSES].map(async (resource) => ({
      kind: resource.kind,
      objects: await stage.list(resource),
    })),
  );
  return lists.flatMap(({ kind, objects }) =>
    objects.flatMap((object: KubeObject) => conditionsOf(object).map((each) => line(kind, each))),
  );
}

function line(kind: string, { type, status, reason = '', message = '' }: Shown): string {
  return `${kind} ${type}=${status} ${reason}: ${message}`;
}

/** `$OWN_SET` is the playground's own disk encryption set. */
function filledIn<T>(value: T, set: string): T {
  return JSON.parse(JSON.stringify(value).replaceAll('$OWN_SET', set)) as T;
}
