/**
 * The seven layers between a configuration and a healthy pod. Each stands on the one before: the first that is broken
 * explains what follows.
 */

export const LAYERS = [
  'configuration',
  'provider',
  'vmCreation',
  'cloudApi',
  'bootstrap',
  'scheduling',
  'readiness',
] as const;

export type Layer = (typeof LAYERS)[number];

export interface LayerText {
  readonly number: number;
  readonly title: string;
  /** What is asked of it. */
  readonly question: string;
}

export const LAYER_TEXTS: Readonly<Record<Layer, LayerText>> = {
  configuration: {
    number: 1,
    title: 'Configuration',
    question: 'Are options, NodePool and NodeClass set, sound and ready?',
  },
  provider: {
    number: 2,
    title: 'Provider',
    question: 'Do the configured values reach the part that talks to the cloud?',
  },
  vmCreation: {
    number: 3,
    title: 'VM creation',
    question: 'Is the machine asked for as configured?',
  },
  cloudApi: {
    number: 4,
    title: 'Cloud API',
    question: 'Does the cloud accept the request and make the machine?',
  },
  bootstrap: {
    number: 5,
    title: 'Bootstrap and kubelet',
    question: 'Does the machine boot, provision itself and join the cluster?',
  },
  scheduling: {
    number: 6,
    title: 'Scheduling',
    question: 'Is the node usable, and is there a node that takes the pod?',
  },
  readiness: {
    number: 7,
    title: 'Readiness',
    question: 'Do the containers start and pass their probes?',
  },
};

export function layerIndex(layer: Layer): number {
  return LAYERS.indexOf(layer);
}
