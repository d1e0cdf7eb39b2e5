/** Jobs: runs pods until enough have succeeded, as `job-plan.ts` decides. CronJobs are stored, and never started. */
import {
  Controller,
  ignoreApiErrors,
  JOBS,
  type Job,
  keyOfObject,
  type Pod,
  parseKey,
  type Result,
  type Stored,
  storeSource,
} from '@chandler/kube';
import { nameOf } from '../object-facts.ts';
import { writeStatus } from '../status.ts';
import { BY_OWNER } from '../watched.ts';
import { INDEX, planJob } from './job-plan.ts';
import { podFromTemplate, randomName } from './owned-pods.ts';
import { createPods, deletePods, podsOf, type WorkloadOptions } from './workload.ts';

export function jobController(options: WorkloadOptions): Controller {
  const { world, watched } = options;
  return new Controller({
    name: 'standin.job',
    world,
    concurrency: 4,
    reconcile: (key) => reconcile(options, key),
    sources: [storeSource(watched.jobs), podsOf(watched, 'Job')],
  });
}

// ---------------------------------------------------------------------------------------------------

async function reconcile(options: WorkloadOptions, key: string): Promise<Result> {
  const { world, watched, client } = options;
  const job = watched.jobs.store.get(parseKey(key));
  if (!job) return {};
  const podsNow = () => watched.pods.store.by(BY_OWNER, job.metadata.uid);
  const plan = planJob(job, podsNow(), world.clock.now());
  if (plan.expired) {
    await ignoreApiErrors(
      client.delete(JOBS, keyOfObject(job), { propagationPolicy: 'Background' }),
      'notFound',
    );
    return {};
  }
  const owner = { resource: JOBS, object: job };
  await createPods(
    options,
    owner,
    plan.create.map((index) => podFor(options, job, index)),
  );
  await deletePods(options, owner, plan.remove);
  const acted = plan.create.length + plan.remove.length > 0;
  const status = acted ? planJob(job, podsNow(), world.clock.now()).status : plan.status;
  await writeStatus(client, JOBS, job, status);
  return plan.requeueAfterMs === undefined ? {} : { requeueAfterMs: plan.requeueAfterMs };
}

function podFor({ world }: WorkloadOptions, job: Stored<Job>, index: number | undefined): Pod {
  const owner = { resource: JOBS, object: job };
  if (index === undefined)
    return podFromTemplate(job.spec.template, owner, randomName(nameOf(job), world.random));
  const template = {
    ...job.spec.template,
    spec: { ...job.spec.template.spec, hostname: `${nameOf(job)}-${index}` },
  };
  const mark = { [INDEX]: String(index) };
  const name = randomName(`${nameOf(job)}-${index}`, world.random);
  return podFromTemplate(template, owner, name, { labels: mark, annotations: mark });
}
