/**
 * The first look at the input: objects of the wrong shape are named by object and field and left out, so
 * that the rest of the engine can rely on shapes. What the values mean is judged later.
 */
import type { InstanceType, PoolInput, SchedulingInput } from '../model.ts';
import type { InputError } from '../refusal.ts';
import { admitBound, admitPods, listOr, type NamedPods } from './named-pods.ts';
import * as shapes from './object-shapes.ts';
import { checked, type Flaw, isObject, type Shape } from './shape.ts';

export interface Admitted {
  readonly input: SchedulingInput;
  /** Its pods, with their names. */
  readonly named: NamedPods;
}

export function admit(given: SchedulingInput, errors: InputError[]): Admitted {
  const door = new Door(errors);
  const named = admitPods(given.pods, new Set(), errors);
  const catalogues = isObject(given.catalogues) ? Object.entries(given.catalogues) : [];
  const { volumes, defaultSpread } = given;
  const input: SchedulingInput = {
    pods: named.pods,
    pools: door.objects('NodePool', given.pools, shapes.POOL, poolName).map((pool) => door.withTypes(pool)),
    catalogues: Object.fromEntries(catalogues.map(([name, types]) => [name, door.types(types)])),
    nodes: door.objects('Node', given.nodes, shapes.NODE),
    boundPods: admitBound(given.boundPods, errors),
    daemonSets: door.objects('DaemonSet', given.daemonSets, shapes.DAEMON_SET),
    namespaces: door.objects('Namespace', given.namespaces, shapes.NAMESPACE),
    overlays: door.objects('NodeOverlay', given.overlays, shapes.OVERLAY),
    wellKnownLabels: door.objects('wellKnownLabels', given.wellKnownLabels, shapes.TEXT),
    options: door.options(given.options),
    ...(isObject(volumes) ? { volumes: door.volumes(volumes) } : {}),
    ...(isObject(defaultSpread) ? { defaultSpread: door.defaultSpread(defaultSpread) } : {}),
    ...(typeof given.reservationLabel === 'string' ? { reservationLabel: given.reservationLabel } : {}),
  };
  return { input, named };
}

// ---------------------------------------------------------------------------------------------------------------

class Door {
  readonly #errors: InputError[];
  readonly #types = new Map<unknown, readonly InstanceType[]>();

  constructor(errors: InputError[]) {
    this.#errors = errors;
  }

  /** Those of the right shape; the same list when all are. */
  objects<T>(
    kind: string,
    list: readonly T[] | undefined,
    shape: Shape,
    nameOf: (item: unknown) => unknown = objectName,
  ): readonly T[] {
    const kept: T[] = [];
    const given = listOr(list, kind, this.#errors);
    for (const [index, item] of given.entries()) {
      const { flaw, value } = checked(item, shape);
      if (flaw === undefined) kept.push(value);
      else this.#errors.push({ ...flaw, object: `${kind}/${nameOf(item) ?? index}`, field: ownField(flaw) });
    }
    return kept.every((item, index) => item === given[index]) && kept.length === given.length ? given : kept;
  }

  /** Pools that share a list keep sharing it. */
  types(list: readonly InstanceType[]): readonly InstanceType[] {
    let types = this.#types.get(list);
    if (types === undefined) {
      types = this.objects('InstanceType', list, shapes.INSTANCE_TYPE);
      this.#types.set(list, types);
    }
    return types;
  }

  withTypes(pool: PoolInput): PoolInput {
    const { instanceTypes } = pool;
    return typeof instanceTypes === 'string' ? pool : { ...pool, instanceTypes: this.types(instanceTypes) };
  }

  volumes(facts: NonNullable<SchedulingInput['volumes']>): NonNullable<SchedulingInput['volumes']> {
    const { newNodeLimits } = facts;
    const flaw =
      newNodeLimits === undefined || newNodeLimits === null
        ? undefined
        : shapes.NEW_NODE_LIMITS(newNodeLimits);
    if (flaw !== undefined) this.#errors.push({ object: 'volumes/newNodeLimits', ...flaw });
    return {
      claims: this.objects('PersistentVolumeClaim', facts.claims, shapes.VOLUME_CLAIM),
      volumes: this.objects('PersistentVolume', facts.volumes, shapes.PERSISTENT_VOLUME),
      classes: this.objects('StorageClass', facts.classes, shapes.STORAGE_CLASS),
      csiNodes: this.objects('CSINode', facts.csiNodes, shapes.CSI_NODE),
      ...(newNodeLimits && flaw === undefined ? { newNodeLimits } : {}),
    };
  }

  defaultSpread(
    given: NonNullable<SchedulingInput['defaultSpread']>,
  ): NonNullable<SchedulingInput['defaultSpread']> {
    return {
      constraints: this.objects('defaultSpread.constraints', given.constraints, shapes.DEFAULT_SPREAD),
      services: this.objects('Service', given.services, shapes.SERVICE),
      controllers: this.objects('controller', given.controllers, shapes.CONTROLLER),
    };
  }

  /** An option that makes no sense stays at its default. */
  options(given: SchedulingInput['options']): NonNullable<SchedulingInput['options']> {
    const sensible = Object.entries(isObject(given) ? given : {}).filter(([name, value]) => {
      if (value === undefined || value === null) return false;
      const flaw = Object.hasOwn(shapes.OPTIONS, name) ? shapes.OPTIONS[name]!(value) : undefined;
      if (flaw !== undefined) this.#errors.push({ object: 'options', ...flaw, field: name });
      return flaw === undefined;
    });
    return Object.fromEntries(sensible);
  }
}

/** A pool is told of by its NodePool. */
function ownField({ field }: Flaw): string {
  return field.startsWith('nodePool.') ? field.slice('nodePool.'.length) : field;
}

function objectName(item: unknown): unknown {
  if (!isObject(item)) return undefined;
  const { metadata } = item;
  return isObject(metadata) ? metadata['name'] : item['name'];
}

function poolName(item: unknown): unknown {
  return isObject(item) ? objectName(item['nodePool']) : undefined;
}
