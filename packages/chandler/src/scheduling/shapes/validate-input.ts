/**
 * Validates the input before anything else reads it: objects of the wrong shape are reported by object and
 * field and skipped, so that the rest of the engine can rely on shapes. The meaning of the values is checked
 * later.
 */

import { type Kept, type KeptList, sameElements } from '../engine/kept.ts';
import { changeOf } from '../engine/list-change.ts';
import type { InstanceType, PoolInput, SchedulingInput } from '../model.ts';
import type { InputError } from '../refusal.ts';
import { admitBound, admitPods, listOr, type NamedPods } from './named-pods.ts';
import * as shapes from './object-shapes.ts';
import { checked, type FieldError, isObject, type Shape } from './shape.ts';

export interface Admitted {
  readonly input: SchedulingInput;
  /** The valid pods with their names. */
  readonly named: NamedPods;
}

export function admit(given: SchedulingInput, kept: Kept, errors: InputError[]): Admitted {
  const validator = new InputValidator(kept, errors);
  const named = admitPods(given.pods, new Set(), errors);
  const catalogues = isObject(given.catalogues) ? Object.entries(given.catalogues) : [];
  const { volumes, defaultSpread } = given;
  const input: SchedulingInput = {
    pods: named.pods,
    pools: validator
      .objects('NodePool', given.pools, shapes.POOL, poolName)
      .map((pool) => validator.withTypes(pool)),
    catalogues: Object.fromEntries(catalogues.map(([name, types]) => [name, validator.types(types)])),
    nodes: validator.sameOr('nodes', given.nodes, (list, found) =>
      new InputValidator(kept, found).objects('Node', list, shapes.NODE),
    ),
    boundPods: validator.sameOr('boundPods', given.boundPods, admitBound),
    leavingNodes: validator.objects('Node', given.leavingNodes, shapes.NODE),
    leavingPods: validator.sameOr('leavingPods', given.leavingPods, admitBound),
    daemonSets: validator.objects('DaemonSet', given.daemonSets, shapes.DAEMON_SET),
    namespaces: validator.objects('Namespace', given.namespaces, shapes.NAMESPACE),
    overlays: validator.objects('NodeOverlay', given.overlays, shapes.OVERLAY),
    wellKnownLabels: validator.objects('wellKnownLabels', given.wellKnownLabels, shapes.TEXT),
    withoutPreferences: validator.objects('withoutPreferences', given.withoutPreferences, shapes.TEXT),
    options: validator.options(given.options),
    ...(isObject(volumes) ? { volumes: validator.volumes(volumes) } : {}),
    ...(isObject(defaultSpread) ? { defaultSpread: validator.defaultSpread(defaultSpread) } : {}),
    ...(typeof given.reservationLabel === 'string' ? { reservationLabel: given.reservationLabel } : {}),
  };
  return { input, named };
}

// ---------------------------------------------------------------------------------------------------------------

class InputValidator {
  readonly #kept: Kept;
  readonly #errors: InputError[];
  readonly #reported = new Set<object>();

  constructor(kept: Kept, errors: InputError[]) {
    this.#kept = kept;
    this.#errors = errors;
  }

  /** The valid objects of a long list, which is checked only if it has other elements than the last time. */
  sameOr<T>(
    field: string,
    list: readonly T[] | undefined,
    check: (list: readonly T[] | undefined, errors: InputError[]) => readonly T[],
  ): readonly T[] {
    if (!Array.isArray(list)) return check(list, this.#errors);
    let last = this.#kept.lists.get(field);
    if (last === undefined || !sameElements(last.given, list)) {
      last = changedList(last, list, check) ?? wholeList(list, check);
      this.#kept.lists.set(field, last);
    }
    // Not as arguments of one call: there may be one for each pod.
    for (const error of last.errors) this.#errors.push(error);
    return last.value as readonly T[];
  }

  /** The valid objects; the same list when all are valid. */
  objects<T>(
    kind: string,
    list: readonly T[] | undefined,
    shape: Shape,
    nameOf: (item: unknown) => unknown = objectName,
  ): readonly T[] {
    const kept: T[] = [];
    const given = listOr(list, kind, this.#errors);
    for (const [index, item] of given.entries()) {
      const { fieldError, value } = checked(item, shape);
      if (fieldError === undefined) kept.push(value);
      else
        this.#errors.push({
          ...fieldError,
          object: `${kind}/${nameOf(item) ?? index}`,
          field: ownField(fieldError),
        });
    }
    return kept.every((item, index) => item === given[index]) && kept.length === given.length ? given : kept;
  }

  /** Pools that share a list keep sharing it. */
  types(list: readonly InstanceType[]): readonly InstanceType[] {
    if (!Array.isArray(list)) return this.objects('InstanceType', list, shapes.INSTANCE_TYPE);
    let checkedTypes = this.#kept.types.get(list);
    if (checkedTypes === undefined) {
      const errors: InputError[] = [];
      const value = new InputValidator(this.#kept, errors).objects(
        'InstanceType',
        list,
        shapes.INSTANCE_TYPE,
      );
      checkedTypes = { value, errors };
      this.#kept.types.set(list, checkedTypes);
    }
    if (!this.#reported.has(list)) this.#errors.push(...checkedTypes.errors);
    this.#reported.add(list);
    return checkedTypes.value;
  }

  withTypes(pool: PoolInput): PoolInput {
    const { instanceTypes } = pool;
    return typeof instanceTypes === 'string' ? pool : { ...pool, instanceTypes: this.types(instanceTypes) };
  }

  volumes(facts: NonNullable<SchedulingInput['volumes']>): NonNullable<SchedulingInput['volumes']> {
    const { newNodeLimits } = facts;
    const fieldError =
      newNodeLimits === undefined || newNodeLimits === null
        ? undefined
        : shapes.NEW_NODE_LIMITS(newNodeLimits);
    if (fieldError !== undefined) this.#errors.push({ object: 'volumes/newNodeLimits', ...fieldError });
    return {
      claims: this.objects('PersistentVolumeClaim', facts.claims, shapes.VOLUME_CLAIM),
      volumes: this.objects('PersistentVolume', facts.volumes, shapes.PERSISTENT_VOLUME),
      classes: this.objects('StorageClass', facts.classes, shapes.STORAGE_CLASS),
      csiNodes: this.objects('CSINode', facts.csiNodes, shapes.CSI_NODE),
      ...(newNodeLimits && fieldError === undefined ? { newNodeLimits } : {}),
      ...(facts.checkClaims === true ? { checkClaims: true } : {}),
    };
  }

  defaultSpread(
    given: NonNullable<SchedulingInput['defaultSpread']>,
  ): NonNullable<SchedulingInput['defaultSpread']> {
    return {
      constraints: this.objects('defaultSpread.constraints', given.constraints, shapes.DEFAULT_SPREAD),
      services: this.sameOr('services', given.services, (list, errors) =>
        new InputValidator(this.#kept, errors).objects('Service', list, shapes.SERVICE),
      ),
      controllers: this.sameOr('controllers', given.controllers, (list, errors) =>
        new InputValidator(this.#kept, errors).objects('controller', list, shapes.CONTROLLER),
      ),
    };
  }

  /** An invalid option keeps its default. */
  options(given: SchedulingInput['options']): NonNullable<SchedulingInput['options']> {
    const sensible = Object.entries(isObject(given) ? given : {}).filter(([name, value]) => {
      if (value === undefined || value === null) return false;
      const fieldError = Object.hasOwn(shapes.OPTIONS, name) ? shapes.OPTIONS[name]!(value) : undefined;
      if (fieldError !== undefined) this.#errors.push({ object: 'options', ...fieldError, field: name });
      return fieldError === undefined;
    });
    return Object.fromEntries(sensible);
  }
}

type ListCheck<T> = (list: readonly T[], errors: InputError[]) => readonly T[];

function wholeList<T>(list: readonly T[], check: ListCheck<T>): KeptList {
  const errors: InputError[] = [];
  const value = check(list, errors);
  return { given: list.slice(), value, errors };
}

/** Checks only what is new in the list. Undefined when something is or was wrong: errors name the place in the list. */
function changedList<T>(
  last: KeptList | undefined,
  list: readonly T[],
  check: ListCheck<T>,
): KeptList | undefined {
  if (last === undefined || last.errors.length > 0 || !sameElements(last.given, last.value)) return undefined;
  const change = changeOf(last.given, list);
  if (change === undefined) return undefined;
  const errors: InputError[] = [];
  const added = change.added as readonly T[];
  if (!sameElements(check(added, errors), added) || errors.length > 0) return undefined;
  const given = list.slice();
  return { given, value: given, errors };
}

/** Errors in a pool are reported on its NodePool. */
function ownField({ field }: FieldError): string {
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
