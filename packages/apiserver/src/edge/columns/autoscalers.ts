/** The columns of HorizontalPodAutoscalers: the target, and each metric as current value/target value. */
import type { KubeObject } from '@chandler/kube';
import type { PrinterColumn } from '../../resource.ts';
import { NONE } from '../age.ts';
import { AGE, at, type Fields, listAt, NAME, numberAt, stringAt, text } from './column.ts';

export const AUTOSCALER_COLUMNS: readonly PrinterColumn[] = [
  NAME,
  text(
    'Reference',
    (object) =>
      `${stringAt(object, 'spec', 'scaleTargetRef', 'kind')}/${stringAt(object, 'spec', 'scaleTargetRef', 'name')}`,
    { description: 'The object that is scaled.' },
  ),
  text('Targets', targets, { description: 'Current and wanted value of each metric.' }),
  text(
    'MinPods',
    (object) => {
      const min = at(object, 'spec', 'minReplicas');
      return typeof min === 'number' ? String(min) : '<unset>';
    },
    { description: 'The lower limit of replicas.' },
  ),
  text('MaxPods', (object) => numberAt(object, 'spec', 'maxReplicas'), {
    description: 'The upper limit of replicas.',
  }),
  text('Replicas', (object) => numberAt(object, 'status', 'currentReplicas'), {
    description: 'How many replicas there are.',
  }),
  AGE,
];

// ---------------------------------------------------------------------------------------------------

const UNKNOWN = '<unknown>';
const MAX_SHOWN = 2;

function targets(object: KubeObject): string {
  const metrics = listAt(object, 'spec', 'metrics');
  if (metrics.length === 0) return NONE;
  const current = listAt(object, 'status', 'currentMetrics');
  const shown = metrics.slice(0, MAX_SHOWN).map((metric, index) => metricText(metric, current[index]));
  const more = metrics.length > MAX_SHOWN ? ` + ${metrics.length - MAX_SHOWN} more...` : '';
  return `${shown.join(', ')}${more}`;
}

/** The field of a metric by its type, and whether its text begins with the name of a resource. */
const SOURCES: Readonly<Record<string, { readonly field: string; readonly named?: true }>> = {
  External: { field: 'external' },
  Pods: { field: 'pods' },
  Object: { field: 'object' },
  Resource: { field: 'resource', named: true },
  ContainerResource: { field: 'containerResource', named: true },
};

function metricText(metric: Fields, status: Fields | undefined): string {
  const type = stringAt(metric, 'type');
  const source = Object.hasOwn(SOURCES, type) ? SOURCES[type] : undefined;
  if (source === undefined) return '<unknown type>';
  const { field, named } = source;
  const target = (kind: string) => stringAt(metric, field, 'target', kind);
  const now = (kind: string) => stringAt(status, field, 'current', kind);
  const prefix = named ? `${stringAt(metric, field, 'name')}: ` : '';
  if (target('averageValue') !== '') {
    const suffix = type === 'External' || type === 'Object' ? ' (avg)' : '';
    return `${prefix}${now('averageValue') || UNKNOWN}/${target('averageValue')}${suffix}`;
  }
  if (!named) return `${now('value') || UNKNOWN}/${target('value')}`;
  const share = (value: string, missing: string) => (value === '' ? missing : `${value}%`);
  return `${prefix}${share(now('averageUtilization'), UNKNOWN)}/${share(target('averageUtilization'), '<auto>')}`;
}
