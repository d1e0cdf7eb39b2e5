/** The selectors of Services and of the controllers of pods, from which default topology spread constraints take theirs. */
import type { KubeObject, LabelSelector, Labels, Stored } from '@chandler/kube';
import type { DefaultSpread } from '../scheduling/index.ts';
import type { Stores } from './stores.ts';

export type SpreadSelectors = Required<Pick<DefaultSpread, 'services' | 'controllers'>>;

/** Undefined when they are not watched. The same object gives the same row, so that a planner notices what changed. */
export function selectorsOf({ selectors }: Pick<Stores, 'selectors'>): SpreadSelectors | undefined {
  if (selectors === undefined) return undefined;
  return {
    services: [...selectors.services.store.values()].flatMap((service) =>
      known(SERVICES, service, () => serviceRow(service)),
    ),
    controllers: [...selectors.controllers].flatMap(([kind, { store }]) =>
      [...store.values()].flatMap((object) => known(CONTROLLERS, object, () => controllerRow(kind, object))),
    ),
  };
}

/** None without a selector: such a Service selects no pod. */
export function serviceRow(service: Selecting): SpreadSelectors['services'] {
  const selector = service.spec?.selector as Labels | undefined;
  return selector === undefined ? [] : [{ metadata: service.metadata, selector }];
}

export function controllerRow(kind: string, object: Selecting): SpreadSelectors['controllers'] {
  const selector = object.spec?.selector;
  if (selector === undefined) return [];
  // Its selector is a map of labels.
  const isMap = kind === 'ReplicationController';
  const whole = isMap ? { matchLabels: selector as Labels } : (selector as LabelSelector);
  return [{ metadata: object.metadata, kind, selector: whole }];
}

// ---------------------------------------------------------------------------------------------------

interface Selecting {
  readonly metadata: KubeObject['metadata'];
  readonly spec?: { readonly selector?: unknown };
}

const SERVICES = new WeakMap<Stored, SpreadSelectors['services']>();
const CONTROLLERS = new WeakMap<Stored, SpreadSelectors['controllers']>();

function known<T extends object>(rows: WeakMap<Stored, T>, object: Stored, build: () => T): T {
  let row = rows.get(object);
  if (row === undefined) {
    row = build();
    rows.set(object, row);
  }
  return row;
}
