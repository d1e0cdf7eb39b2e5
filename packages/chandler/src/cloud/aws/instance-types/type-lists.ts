/**
 * The instance types of the region, per node class. A list is built when it is needed and kept until something it depends
 * on has changed: types, zones that sell them, prices, reservations, zonal shift, observed memory, or the memory of what
 * could not be launched. Then only the changed types are built again. What to read from EC2 and when, the caller decides.
 */
import type { EC2NodeClass } from '../../../api/index.ts';
import { CloudError } from '../../index.ts';

import { type OfferingFinder, type OfferingSources, offeringFinder } from '../offerings/index.ts';
import { type FittedType, typeFitter } from './fitted-type.ts';
import { type AwsInstanceType, instanceType } from './instance-type.ts';
import { type InstanceTypeInfo, isUsable, type UsableInstanceType } from './instance-type-info.ts';
import type { ObservedMemory } from './observed-memory.ts';
import {
  type InstanceTypeOptions,
  type Parameters,
  type PlacementGroup,
  parametersKey,
  parametersOf,
} from './parameters.ts';
import { resolvedKubelet } from './resolved-kubelet.ts';

export interface TypeListsInput extends OfferingSources {
  readonly region: string;
  readonly options: InstanceTypeOptions;
  /** Whether the gate ReservedCapacity is open. */
  readonly reservedCapacity: boolean;
  readonly observedMemory: Pick<ObservedMemory, 'sequence' | 'bytes'>;
}

/** A type and a zone that sells it, as DescribeInstanceTypeOfferings lists them. */
export interface TypeOffering {
  readonly InstanceType?: string | undefined;
  readonly Location?: string | undefined;
}

export class TypeLists {
  readonly #input: TypeListsInput;
  #types: readonly UsableInstanceType[] = [];
  #byName: ReadonlyMap<string, UsableInstanceType> = new Map();
  #zones: ReadonlyMap<string, ReadonlySet<string>> = new Map();
  #allZones: readonly string[] = [];
  /** Of the types and zones as they were given last, to notice that they are the same. */
  readonly #texts = { types: '', zones: '' };
  #sequence = 0;
  readonly #lists = new Map<string, List>();
  /** Parameters are computed once per version of a node class: objects of a store never change. */
  #keys = new WeakMap<object, { readonly group: PlacementGroup | undefined; readonly known: Keyed }>();
  #optionsText = '';

  constructor(input: TypeListsInput) {
    this.#input = input;
  }

  /** Whether types and zones were read at least once; before that there are no instance types. */
  get loaded(): boolean {
    return this.#types.length > 0 && this.#allZones.length > 0;
  }

  /** Grows when types or zones are others than before. */
  get sequence(): number {
    return this.#sequence;
  }

  /** How many of them cannot become a node, as their description is not complete or their architecture is not known. */
  setTypes(infos: Iterable<InstanceTypeInfo>): { readonly refused: number } {
    const all = [...infos];
    const usable = all
      .filter(isUsable)
      .sort((first, second) => (first.InstanceType < second.InstanceType ? -1 : 1));
    const text = JSON.stringify(usable);
    if (text !== this.#texts.types) {
      this.#texts.types = text;
      this.#types = usable;
      this.#byName = new Map(usable.map((info) => [info.InstanceType, info]));
      this.#forget();
    }
    return { refused: all.length - usable.length };
  }

  setZones(offerings: Iterable<TypeOffering>): void {
    const zones = new Map<string, Set<string>>();
    const all = new Set<string>();
    for (const { InstanceType: name, Location: zone } of offerings) {
      if (name === undefined || zone === undefined) continue;
      const own = zones.get(name) ?? new Set();
      own.add(zone);
      all.add(zone);
      zones.set(name, own);
    }
    const text = JSON.stringify([...zones].map(([name, own]) => [name, ...[...own].sort()].join()).sort());
    if (text === this.#texts.zones) return;
    this.#texts.zones = text;
    this.#zones = zones;
    this.#allZones = [...all].sort();
    this.#forget();
  }

  get(name: string): UsableInstanceType | undefined {
    return this.#byName.get(name);
  }

  /**
   * By name. The list and everything in it is shared: it must not be changed.
   * @param placementGroup what the class's selector leads to.
   * @throws {CloudError} before types and zones were read, and for a class without subnets.
   */
  forNodeClass(nodeClass: EC2NodeClass, placementGroup?: PlacementGroup): readonly AwsInstanceType[] {
    if (!this.loaded) throw notLoaded(this.#input.region);
    const { key, parameters } = this.#keyOf(nodeClass, placementGroup);
    if (parameters.zones.length === 0) throw noSubnets(nodeClass.metadata.name ?? '');
    const { prices, unavailable, reservations, zonalShift, observedMemory } = this.#input;
    const generation = [prices, unavailable, reservations, zonalShift, observedMemory, this]
      .map(({ sequence }) => sequence)
      .join();
    const known = this.#lists.get(key);
    if (known?.generation === generation) return known.types;
    const list = this.#build(parameters, generation, known);
    if (known === undefined && this.#lists.size >= MAX_LISTS)
      this.#lists.delete(this.#lists.keys().next().value!);
    this.#lists.set(key, list);
    return list.types;
  }

  /**
   * The first expression in `kubelet` of the class that has no value for one of the types; undefined when there is none.
   * @throws {CloudError} before types were read.
   */
  expressionProblem(nodeClass: EC2NodeClass): string | undefined {
    const { parameters } = this.#keyOf(nodeClass, undefined);
    if (parameters.kubelet.expressions === undefined) return undefined;
    if (!this.loaded) throw notLoaded(this.#input.region);
    for (const info of this.#types) {
      const [failure] = resolvedKubelet(info, parameters).failures;
      if (failure !== undefined)
        return `spec.kubelet.${failure.field}: ${failure.message}, for ${info.InstanceType}`;
    }
    return undefined;
  }

  /** The lists that were asked for last, one for each set of parameters. */
  *current(): Iterable<readonly AwsInstanceType[]> {
    for (const { types } of this.#lists.values()) yield types;
  }

  #build(parameters: Parameters, generation: string, before: List | undefined): List {
    const { observedMemory } = this.#input;
    const fits =
      before !== undefined && before.memory === observedMemory.sequence
        ? before
        : { ...this.#fit(parameters), memory: observedMemory.sequence };
    let same = fits === before;
    const types = fits.fitted.map((fitted, index) => {
      const known = fits === before ? before.types[index] : undefined;
      const offerings = fits.find(fitted, known?.offerings);
      if (known !== undefined && offerings === known.offerings) return known;
      same = false;
      return instanceType(fitted, offerings);
    });
    const { fitted, find, memory } = fits;
    return { fitted, find, memory, generation, types: same && before !== undefined ? before.types : types };
  }

  #fit(parameters: Parameters): { readonly fitted: readonly FittedType[]; readonly find: OfferingFinder } {
    const { region, observedMemory, reservedCapacity } = this.#input;
    const zonesOf = (name: string) => this.#zones.get(name) ?? NOWHERE;
    const fit = typeFitter({
      parameters,
      region,
      zonesOf,
      observedMemory: (name) => observedMemory.bytes(name, parameters.imageIds),
    });
    const find = offeringFinder({
      parameters,
      allZones: this.#allZones,
      zonesOf,
      reservedCapacity,
      sources: this.#input,
    });
    return { fitted: this.#types.map(fit), find };
  }

  #keyOf(nodeClass: EC2NodeClass, group: PlacementGroup | undefined): Keyed {
    const { vmMemoryOverheadPercent, reservedEnis, prefixDelegation, kubeletExpressions } =
      this.#input.options;
    const text = [
      vmMemoryOverheadPercent.value,
      reservedEnis.value,
      prefixDelegation.value,
      kubeletExpressions,
    ].join();
    if (text !== this.#optionsText) this.#keys = new WeakMap();
    this.#optionsText = text;
    const found = this.#keys.get(nodeClass);
    if (found !== undefined && found.group === group) return found.known;
    const parameters = parametersOf(nodeClass, group, this.#input.options);
    const known = { parameters, key: parametersKey(parameters) };
    this.#keys.set(nodeClass, { group, known });
    return known;
  }

  #forget(): void {
    this.#lists.clear();
    this.#sequence += 1;
  }
}

// ---------------------------------------------------------------------------------------------------------------

interface Keyed {
  readonly parameters: Parameters;
  readonly key: string;
}

interface List {
  readonly fitted: readonly FittedType[];
  readonly find: OfferingFinder;
  /** Of the observed memory that `fitted` was made with. */
  readonly memory: number;
  readonly generation: string;
  readonly types: readonly AwsInstanceType[];
}

/** Node classes with parameters of their own; more than anybody has. */
const MAX_LISTS = 64;

const NOWHERE: ReadonlySet<string> = new Set();

function notLoaded(region: string): CloudError {
  return new CloudError('Unreachable', `the instance types of ${region} have not been read from EC2 yet`, {
    reason: 'InstanceTypeResolutionFailed',
  });
}

function noSubnets(nodeClass: string): CloudError {
  return new CloudError(
    'NodeClassNotReady',
    `EC2NodeClass ${nodeClass} has no subnets in its status; check its subnetSelectorTerms and its condition SubnetsReady`,
    { reason: 'SubnetResolutionFailed' },
  );
}
