/** `chandler check --smoke`: asks, connects to the cluster, and runs the smoke test with `why` at hand. */
import { type Explanation, explain, type Subject, subjectText } from '../../diagnose/index.ts';
import { isAccessError, type SmokeResult, smokeTest } from '../../readiness/index.ts';
import { confirmed } from '../confirm.ts';
import { type Call, Failure, namedKubeconfig } from '../verb.ts';
import { gatherSubject } from '../why/gather-subject.ts';
import { openSource } from '../why/open-source.ts';
import type { OpenRequest, OpenSource } from '../why/source.ts';
import { plannedStaying } from '../why/staying.ts';
import { inCluster } from './open-cluster.ts';
import type { SmokeValues } from './smoke-options.ts';

export type SmokeCall = Pick<Call, 'terminal' | 'env' | 'interrupted' | 'world'>;

/** Undefined: the user did not agree, and nothing was changed. @throws {Failure} */
export function runSmokeTest(call: SmokeCall, values: SmokeValues): Promise<SmokeResult | undefined> {
  const { terminal, env, interrupted } = call;
  const report = (line: string) => terminal.err(`smoke test: ${line}\n`);
  return inCluster(call, values, async ({ client, host, world }) => {
    if (!values.yes.value && !(await confirmed(question(host, values), interrupted))) return undefined;
    const why = lazySource({
      source: { kubeconfig: namedKubeconfig(values.kubeconfig), context: values.context.value },
      cloud: { name: undefined, query: () => 'auto' },
      env,
      world: call.world,
      interrupted,
      warn: report,
    });
    try {
      return await smokeTest({
        ...settings(values),
        client,
        clock: world.clock,
        random: world.random,
        signal: interrupted,
        explain: (subject) => explained(why, subject, report),
        report,
      });
    } finally {
      await why.close();
    }
  });
}

// ---------------------------------------------------------------------------------------------------------------

function question(host: string, { smokeReplicas, smokeCpu, smokeMemory }: SmokeValues): string {
  return (
    `This creates ${smokeReplicas.value} pods of ${smokeCpu.value} CPU and ${smokeMemory.value} in the cluster ${host}, ` +
    'for which nodes are launched, and deletes them again.'
  );
}

function settings(values: SmokeValues) {
  const { smokeNamespace, smokeNodePool } = values;
  return {
    replicas: values.smokeReplicas.value,
    cpu: values.smokeCpu.value,
    memory: values.smokeMemory.value,
    image: values.smokeImage.value,
    timeoutMs: values.smokeTimeout.value,
    awaitsRemoval: !values.smokeNoWait.value,
    ...(smokeNamespace.value === undefined ? {} : { namespace: smokeNamespace.value }),
    ...(smokeNodePool.value === undefined ? {} : { nodePool: smokeNodePool.value }),
  };
}

interface LazySource {
  readonly request: OpenRequest;
  open(): Promise<OpenSource>;
  close(): Promise<void>;
}

/** A test that has failed is reported as such, also where `why` cannot say anything about it. */
async function explained(
  why: LazySource,
  subject: Subject,
  report: (line: string) => void,
): Promise<Explanation | undefined> {
  try {
    const source = await why.open();
    const gathered = await gatherSubject(source, subject, false);
    if (gathered.state !== 'gathered') {
      report(gathered.message);
      return undefined;
    }
    const explanation = explain(gathered.subject, gathered.evidence, source.cloud);
    if (subject.kind === 'pod') return explanation;
    const planned = await plannedStaying(why.request, gathered.subject, gathered.evidence.first('options'));
    return planned.length === 0 ? explanation : { ...explanation, staying: planned };
  } catch (error) {
    if (!isAccessError(error) && !(error instanceof Failure)) throw error;
    report(`why ${subjectText(subject)}: ${error.message}`);
  }
  return undefined;
}

/** Opened when `why` is asked for the first time: most tests pass. */
function lazySource(request: OpenRequest): LazySource {
  let opened: Promise<OpenSource> | undefined;
  return {
    request,
    open: () => (opened ??= openSource(request)),
    close: async () => (await opened?.catch(() => undefined))?.close(),
  };
}
