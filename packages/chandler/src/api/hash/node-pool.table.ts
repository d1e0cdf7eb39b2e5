/** What upstream's NodePool hash covers: the Go types under `spec.template`, with their names and order. */
import {
  duration,
  field,
  ignored,
  list,
  map,
  nillableDuration,
  pointer,
  string,
  struct,
  time,
} from './structure.ts';

const taint = struct('Taint', [
  field('Key', 'key', string),
  field('Value', 'value', string),
  field('Effect', 'effect', string),
  pointer('TimeAdded', 'timeAdded', time),
]);

const nodeClassReference = struct('NodeClassReference', [
  field('Kind', 'kind', string),
  field('Name', 'name', string),
  field('Group', 'group', string),
]);

const objectMeta = struct('ObjectMeta', [
  field('Labels', 'labels', map(string)),
  field('Annotations', 'annotations', map(string)),
]);

const nodeClaimTemplateSpec = struct('NodeClaimTemplateSpec', [
  field('Taints', 'taints', list(taint)),
  field('StartupTaints', 'startupTaints', list(taint)),
  ignored('requirements'),
  pointer('NodeClassRef', 'nodeClassRef', nodeClassReference),
  pointer('TerminationGracePeriod', 'terminationGracePeriod', duration),
  field('ExpireAfter', 'expireAfter', nillableDuration),
]);

export const nodeClaimTemplate = struct('NodeClaimTemplate', [
  field('ObjectMeta', 'metadata', objectMeta),
  field('Spec', 'spec', nodeClaimTemplateSpec),
]);
