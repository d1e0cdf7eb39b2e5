/**
 * The seven layers between a configuration and a healthy pod. Each depends on the one before: the first that is
 * broken explains the ones after it.
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
  /** The question that it answers. */
  readonly question: string;
}

export const LAYER_TEXTS: Readonly<Record<Layer, LayerText>> = {
  configuration: {
    number: 1,
    title: 'Configuration',
    question: 'Are the options valid, and are the NodePool and the NodeClass ready?',
  },
  provider: {
    number: 2,
    title: 'Provider',
    question: 'Does the controller pass the configured values to the launch?',
  },
  vmCreation: {
    number: 3,
    title: 'VM creation',
    question: 'Does the request for the VM have the configured values?',
  },
  cloudApi: {
    number: 4,
    title: 'Cloud API',
    question: 'Does the cloud accept the request and create the VM?',
  },
  bootstrap: {
    number: 5,
    title: 'Bootstrap and kubelet',
    question: 'Does the VM boot, run its bootstrap script and join the cluster?',
  },
  scheduling: {
    number: 6,
    title: 'Scheduling',
    question: 'Is the node usable, and can the pod be scheduled?',
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
