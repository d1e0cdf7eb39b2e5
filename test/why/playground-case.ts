/** A case of the corpus that is run and not drawn: a fault is set, a pod is created, and when it is time `why` is asked. */
import type { KubeObject } from '../../src/api/object.ts';
import { cataloguePlanner } from '../../src/cli/why/sizes.ts';
import { explain, gather, liveReader, parseSubject } from '../../src/diagnose/index.ts';
import {
  AKS_NODE_CLASSES,
  DEPLOYMENTS,
  NODE_CLAIMS,
  NODE_POOLS,
  NODES,
  PODS,
  type ResourceRef,
  SECRETS,
} from '../../src/kube/index.ts';
import { NODE_CLASS, pod, pool } from '../controllers/stage.ts';
import type { CaseResult, CorpusCase, PlaygroundWords } from './corpus.ts';
import { judge } from './corpus.ts';
import { merged } from './objects.ts';
import { type WhyStage, whyStage } from './why-stage.ts';

export async function runPlayground(one: CorpusCase, words: PlaygroundWords): Promise<CaseResult> {
  const stage = await whyStage();
  try {
    await play(stage, words);
    return await ask(stage, one, words);
  } finally {
    await stage.end();
  }
}

// ---------------------------------------------------------------------------------------------------

const LONGEST_MS = 20 * 60_000;

async function play(stage: WhyStage, words: PlaygroundWords): Promise<void> {
  const { arm, azure } = stage.azure;
  const set = azure.byok.diskEncryptionSetId;
  if (words.keys !== undefined) (azure.byok as unknown as Record<string, () => void>)[words.keys]!();
  const env = filledIn(words.env ?? {}, set);
  if (words.lose === 'options' || words.deployment) await stage.apply(DEPLOYMENTS, deployment(env));
  const operator = stage.operator(words.lose === 'options' ? {} : env, words.lose);
  await stage.inTime(operator.start());
  await stage.apply(AKS_NODE_CLASSES, merged(NODE_CLASS, filledIn(words.class ?? {}, set)));
  if (words.before !== false) await stage.until(() => isTrue(stage, AKS_NODE_CLASSES, 'Ready'), 30_000);
  for (const fault of words.faults ?? []) arm.faults.add(fault);
  await stage.apply(NODE_POOLS, merged(pool('default'), words.pool ?? {}));
  if (words.later !== undefined) {
    await stage.until(() => isTrue(stage, NODE_POOLS, 'Ready'), 60_000);
    (azure.byok as unknown as Record<string, () => void>)[words.later]!();
  }
  if (words.token !== undefined) await spoilToken(stage, words.token);
  await stage.apply(PODS, merged(pod('web'), words.pod ?? {}));
  const untilMs = (words.minutes ?? 0) * 60_000;
  if (words.until === undefined) await stage.world.clock.advance(untilMs);
  else {
    const reached = await stage.until(() => holds(stage, words.until!), untilMs || LONGEST_MS);
    if (!reached) throw new Error(`it never came about: ${words.until}`);
    if (words.then !== undefined) await stage.world.clock.advance(words.then * 1000);
  }
}

async function ask(stage: WhyStage, one: CorpusCase, words: PlaygroundWords): Promise<CaseResult> {
  const [claim] = await stage.list(NODE_CLAIMS);
  const [node] = await stage.list(NODES);
  const text = one.ask
    .replace('{claim}', claim?.metadata.name ?? '')
    .replace('{node}', node?.metadata.name ?? '');
  const subject = parseSubject([text]);
  if (typeof subject === 'string') throw new Error(`${one.file}: ${subject}`);
  const reader = liveReader({ client: stage.admin, clock: stage.world.clock });
  const gathered = await stage.inTime(
    gather(subject, {
      reader,
      ...(words.without === 'azure' ? {} : { azure: stage.eye }),
      planner: cataloguePlanner(stage.world, reader),
      expectsDiskEncryptionSet: one.byok ?? false,
    }),
  );
  if (gathered.state !== 'gathered')
    return { outcome: 'missed', explanation: undefined, complaint: gathered.message };
  return judge(one, explain(gathered.subject, gathered.evidence));
}

async function spoilToken(stage: WhyStage, how: 'delete' | 'expire'): Promise<void> {
  const [id = ''] = stage.azure.bootstrapToken.split('.');
  const key = { namespace: 'kube-system', name: `bootstrap-token-${id}` };
  if (how === 'delete') {
    await stage.inTime(stage.admin.delete(SECRETS, key));
    return;
  }
  const expiration = new Date(stage.world.clock.now() - 60_000).toISOString();
  const patch = { data: { expiration: Buffer.from(expiration).toString('base64') } };
  await stage.inTime(stage.admin.patch(SECRETS, key, { type: 'merge', patch }));
}

/** `$SET` is the playground's own disk encryption set. */
function filledIn<T>(value: T, set: string): T {
  return JSON.parse(JSON.stringify(value).replaceAll('$OWN_SET', set)) as T;
}

/** `nodeclaim Launched=Unknown SubnetFull`, `pod Ready=True`, `event Warning FailedScheduling`: the words in order. */
async function holds(stage: WhyStage, text: string): Promise<boolean> {
  const [kind = '', condition = '', reason] = text.split(' ');
  const [type, status] = condition.split('=');
  const objects = await stage.list(KINDS[kind]!);
  return objects.some((object) =>
    conditionsOf(object).some(
      (each) =>
        each.type === type && each.status === status && (reason === undefined || each.reason === reason),
    ),
  );
}

const KINDS: Readonly<Record<string, ResourceRef>> = {
  nodeclaim: NODE_CLAIMS,
  node: NODES,
  pod: PODS,
  nodepool: NODE_POOLS,
  nodeclass: AKS_NODE_CLASSES,
};

async function isTrue(stage: WhyStage, resource: ResourceRef, type: string): Promise<boolean> {
  const objects = await stage.list(resource);
  return objects.some((object) =>
    conditionsOf(object).some((each) => each.type === type && each.status === 'True'),
  );
}

function conditionsOf(object: KubeObject): readonly { type: string; status: string; reason?: string }[] {
  return (
    (object['status'] as { conditions?: { type: string; status: string; reason?: string }[] } | undefined)
      ?.conditions ?? []
  );
}

/** The controller as the cluster shows it; what runs is beside it. */
function deployment(env: Readonly<Record<string, string>>): object {
  const labels = { 'app.kubernetes.io/name': 'karpenter' };
  return {
    apiVersion: 'apps/v1',
    kind: 'Deployment',
    metadata: { name: 'karpenter', namespace: 'kube-system', labels },
    spec: {
      replicas: 1,
      selector: { matchLabels: labels },
      template: {
        metadata: { labels },
        spec: {
          containers: [
            {
              name: 'controller',
              image: 'registry.example/chandler:1',
              env: Object.entries(env).map(([name, value]) => ({ name, value })),
            },
          ],
        },
      },
    },
  };
}
