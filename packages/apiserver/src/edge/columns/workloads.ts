/**
 * The columns of what runs pods: deployments, replica sets, stateful sets, daemon sets, jobs, cron jobs,
 * pod templates and disruption budgets.
 */
import type { KubeObject } from '@chandler/kube';
import type { PrinterColumn } from '../../resource.ts';
import { ageOf, humanDuration, NONE } from '../age.ts';
import {
  AGE,
  at,
  conditionOf,
  flag,
  integer,
  listAt,
  mapAt,
  NAME,
  numberAt,
  stringAt,
  text,
  WIDE,
} from './column.ts';
import { labelsText, selectorCell, selectorText } from './selector-text.ts';

const POD_TEMPLATE = ['spec', 'template', 'spec'] as const;
const JOB_TEMPLATE = ['spec', 'jobTemplate', 'spec', 'template', 'spec'] as const;

const DESIRED = integer('Desired', (object) => numberAt(object, 'spec', 'replicas'), {
  description: 'How many pods are wanted.',
});
const CURRENT = integer('Current', (object) => numberAt(object, 'status', 'replicas'), {
  description: 'How many pods there are.',
});
const READY = integer('Ready', (object) => numberAt(object, 'status', 'readyReplicas'), {
  description: 'How many pods are ready.',
});
const SELECTOR = text('Selector', (object) => selectorCell(at(object, 'spec', 'selector')), {
  ...WIDE,
  description: 'Which pods belong to it.',
});

export const REPLICA_SET_COLUMNS: readonly PrinterColumn[] = [
  NAME,
  DESIRED,
  CURRENT,
  READY,
  AGE,
  ...containerColumns(POD_TEMPLATE),
  SELECTOR,
];

export const REPLICATION_CONTROLLER_COLUMNS: readonly PrinterColumn[] = [
  NAME,
  DESIRED,
  CURRENT,
  READY,
  AGE,
  ...containerColumns(POD_TEMPLATE),
  { ...SELECTOR, cell: (object) => labelsText(mapAt(object, 'spec', 'selector')) },
];

export const DEPLOYMENT_COLUMNS: readonly PrinterColumn[] = [
  NAME,
  text('Ready', readyOfDesired, { description: 'Pods that are ready, of those wanted.' }),
  text('Up-to-date', (object) => numberAt(object, 'status', 'updatedReplicas'), {
    description: 'Pods that follow the current template.',
  }),
  text('Available', (object) => numberAt(object, 'status', 'availableReplicas'), {
    description: 'Pods that have been ready for long enough.',
  }),
  AGE,
  ...containerColumns(POD_TEMPLATE),
  { ...SELECTOR, cell: (object) => selectorText(at(object, 'spec', 'selector')) ?? '<invalid>' },
];

export const STATEFUL_SET_COLUMNS: readonly PrinterColumn[] = [
  NAME,
  text('Ready', readyOfDesired, { description: 'Pods that are ready, of those wanted.' }),
  AGE,
  ...containerColumns(POD_TEMPLATE),
];

export const DAEMON_SET_COLUMNS: readonly PrinterColumn[] = [
  NAME,
  daemonCount('Desired', 'desiredNumberScheduled', 'Nodes that should run the pod.'),
  daemonCount('Current', 'currentNumberScheduled', 'Nodes that should run the pod and do.'),
  daemonCount('Ready', 'numberReady', 'Nodes on which the pod is ready.'),
  daemonCount('Up-to-date', 'updatedNumberScheduled', 'Nodes whose pod follows the current template.'),
  daemonCount('Available', 'numberAvailable', 'Nodes whose pod has been ready for long enough.'),
  text('Node Selector', (object) => labelsText(mapAt(object, ...POD_TEMPLATE, 'nodeSelector')), {
    description: 'Labels that a node must have.',
  }),
  AGE,
  ...containerColumns(POD_TEMPLATE),
  SELECTOR,
];

export const JOB_COLUMNS: readonly PrinterColumn[] = [
  NAME,
  text('Status', jobStatus, { description: 'How the job is doing.' }),
  text('Completions', completions, { description: 'Pods that succeeded, of those needed.' }),
  text('Duration', jobDuration, { description: 'How long the job took, or has taken so far.' }),
  AGE,
  ...containerColumns(POD_TEMPLATE),
  SELECTOR,
];

export const CRON_JOB_COLUMNS: readonly PrinterColumn[] = [
  NAME,
  text('Schedule', (object) => stringAt(object, 'spec', 'schedule'), {
    description: 'When jobs are started, in cron form.',
  }),
  text('Timezone', (object) => stringAt(object, 'spec', 'timeZone') || NONE, {
    description: 'The time zone of the schedule.',
  }),
  flag('Suspend', suspended, { description: 'Whether no further jobs are started.' }),
  integer('Active', (object) => listAt(object, 'status', 'active').length, {
    description: 'Jobs that run now.',
  }),
  text('Last Schedule', lastSchedule, { description: 'How long ago a job was last started.' }),
  AGE,
  ...containerColumns(JOB_TEMPLATE),
  { ...SELECTOR, cell: (object) => selectorCell(at(object, 'spec', 'jobTemplate', 'spec', 'selector')) },
];

export const POD_TEMPLATE_COLUMNS: readonly PrinterColumn[] = [
  NAME,
  ...containerColumns(['template', 'spec'], 0),
  text('Pod Labels', (object) => labelsText(mapAt(object, 'template', 'metadata', 'labels')), {
    description: 'Labels that pods made from it get.',
  }),
];

export const DISRUPTION_BUDGET_COLUMNS: readonly PrinterColumn[] = [
  NAME,
  text('Min Available', (object) => stringAt(object, 'spec', 'minAvailable') || 'N/A', {
    description: 'How many pods must stay available.',
  }),
  text('Max Unavailable', (object) => stringAt(object, 'spec', 'maxUnavailable') || 'N/A', {
    description: 'How many pods may be missing.',
  }),
  integer('Allowed Disruptions', (object) => numberAt(object, 'status', 'disruptionsAllowed'), {
    description: 'How many pods may be evicted right now.',
  }),
  AGE,
];

export const CONTROLLER_REVISION_COLUMNS: readonly PrinterColumn[] = [
  NAME,
  text('Controller', controllerName, { description: 'What this is a revision of.' }),
  text('Revision', (object) => numberAt(object, 'revision'), { description: 'The number of the revision.' }),
  AGE,
];

// ---------------------------------------------------------------------------------------------------

function containerColumns(path: readonly string[], priority = 1): readonly PrinterColumn[] {
  const joined = (field: string) => (object: KubeObject) =>
    listAt(object, ...path, 'containers')
      .map((container) => stringAt(container, field))
      .join(',');
  return [
    text('Containers', joined('name'), { priority, description: 'The names of the containers.' }),
    text('Images', joined('image'), { priority, description: 'The images of the containers.' }),
  ];
}

function daemonCount(name: string, field: string, description: string): PrinterColumn {
  return integer(name, (object) => numberAt(object, 'status', field), { description });
}

function readyOfDesired(object: KubeObject): string {
  return `${numberAt(object, 'status', 'readyReplicas')}/${numberAt(object, 'spec', 'replicas')}`;
}

/** The first condition that holds names the status; a job that is being deleted comes between ended and unfinished. */
function jobStatus(job: KubeObject): string {
  const holds = (type: string) => conditionOf(job, type) === 'True';
  if (holds('Complete')) return 'Complete';
  if (holds('Failed')) return 'Failed';
  if (job.metadata.deletionTimestamp !== undefined) return 'Terminating';
  return ['Suspended', 'FailureTarget', 'SuccessCriteriaMet'].find(holds) ?? 'Running';
}

function completions(job: KubeObject): string {
  const succeeded = numberAt(job, 'status', 'succeeded');
  const wanted = at(job, 'spec', 'completions');
  if (typeof wanted === 'number') return `${succeeded}/${wanted}`;
  const parallelism = numberAt(job, 'spec', 'parallelism');
  return parallelism > 1 ? `${succeeded}/1 of ${parallelism}` : `${succeeded}/1`;
}

function jobDuration(job: KubeObject, nowMs: number): string {
  const start = stringAt(job, 'status', 'startTime');
  if (start === '') return '';
  const end = stringAt(job, 'status', 'completionTime');
  return humanDuration((end === '' ? nowMs : Date.parse(end)) - Date.parse(start));
}

/** A boolean column with text cells, as a real server prints it. */
function suspended(cronJob: KubeObject): string {
  const value = at(cronJob, 'spec', 'suspend');
  if (typeof value !== 'boolean') return '<unset>';
  return value ? 'True' : 'False';
}

function lastSchedule(cronJob: KubeObject, nowMs: number): string {
  const time = stringAt(cronJob, 'status', 'lastScheduleTime');
  return time === '' ? NONE : ageOf(time, nowMs);
}

function controllerName(object: KubeObject): string {
  const owner = object.metadata.ownerReferences?.find((reference) => reference.controller === true);
  if (owner === undefined) return NONE;
  const slash = owner.apiVersion.indexOf('/');
  const kind = slash < 0 ? owner.kind : `${owner.kind}.${owner.apiVersion.slice(0, slash)}`;
  return `${kind.toLowerCase()}/${owner.name}`;
}
