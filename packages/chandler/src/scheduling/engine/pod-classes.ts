/**
 * Classes of pods that are equal to the engine: equal specs, equal relevant labels, equal volumes. A class
 * holds the variants of its relaxations; a variant is compiled when it is first needed.
 */
import type { Pod } from '../model.ts';
import { DefaultSpreads, defaultSpreadKey } from '../pods/default-spread.ts';
import type { ReadSpec } from '../pods/read-spec.ts';
import { relaxationsOf } from '../pods/relaxations.ts';
import { resourceClaimsOf } from '../pods/resource-claims.ts';
import type { SpecReading } from '../pods/spec-reader.ts';
import type { PodProblem } from '../refusal.ts';
import { expand, PODS, type Requests, type Resources } from '../resources.ts';
import { namespaceOf, podKey } from '../shapes/named-pods.ts';
import type { LabelClass } from '../topology/label-classes.ts';
import { NO_VOLUMES, type VolumeNeeds } from '../volumes/volume-index.ts';
import type { ClassContext, PodClass, Variant } from './pod-class.ts';
import { Signatures } from './signatures.ts';
import { compileVariant, groupsOf, hardSpreadsOf } from './variant.ts';

export class PodClasses {
  readonly all: PodClass[] = [];
  readonly signatures: Signatures;
  readonly context: ClassContext;
  /** By spec and labels, then by rare properties. */
  readonly #byKey = new Map<number, Map<string, PodClass>>();
  readonly #deciding = new Map<PodClass, PodClass>();
  readonly #softTaints: boolean;
  readonly #defaultSpreads: DefaultSpreads | undefined;
  /** Pods whose preferences are ignored. */
  readonly #indifferent: ReadonlySet<string>;

  constructor(context: ClassContext) {
    this.context = context;
    const { defaultSpread, withoutPreferences = [] } = context.input;
    this.#indifferent = new Set(withoutPreferences);
    this.#defaultSpreads = defaultSpread === undefined ? undefined : new DefaultSpreads(defaultSpread);
    this.signatures = new Signatures(context.nodes, context.pools);
    this.#softTaints = context.pools.some((pool) =>
      pool.taints.some((taint) => taint.effect === 'PreferNoSchedule'),
    );
  }

  /** @param reading of the pod's spec, if it was read already. */
  of(pod: Pod, reading: SpecReading = this.context.reader.read(pod)): PodClass {
    const { labelClasses, volumes } = this.context;
    const labels = labelClasses.of(namespaceOf(pod.metadata), pod.metadata.labels);
    const needs = pod.spec?.volumes === undefined ? NO_VOLUMES : volumes.needsOf(pod);
    const key = reading.id * MEMO_STRIDE + labels.id;
    const rest = this.#restKey(pod, needs);
    let byRest = this.#byKey.get(key);
    if (byRest === undefined) {
      byRest = new Map();
      this.#byKey.set(key, byRest);
    }
    let found = byRest.get(rest);
    if (found === undefined) {
      found = this.#build(pod, reading.spec, labels, needs);
      byRest.set(rest, found);
    }
    return found;
  }

  /** The class of the same pods whose domains are decided for all spreads that count them. */
  deciding(podClass: PodClass): PodClass {
    let found = this.#deciding.get(podClass);
    if (found === undefined) {
      const failure = { run: -1, changes: -1, relaxation: 0 };
      found = { ...podClass, id: this.all.length, variants: [], decidesDomains: true, failure };
      this.all.push(found);
      this.#deciding.set(podClass, found);
    }
    return found;
  }

  /** Rare properties; empty for most pods. */
  #restKey(pod: Pod, needs: VolumeNeeds | PodProblem): string {
    const spreads = this.#defaultSpreads;
    const claims = resourceClaimsOf(pod.spec);
    const indifferent = this.#isIndifferent(pod) ? '-' : '';
    if (needs === NO_VOLUMES && claims.length === 0 && spreads === undefined) return indifferent;
    const volumeKey = 'code' in needs ? JSON.stringify(needs) : needs.key;
    const owner = spreads === undefined ? '' : defaultSpreadKey(pod);
    return `${volumeKey}/${claims.join()}/${owner}/${indifferent}`;
  }

  #isIndifferent(pod: Pod): boolean {
    return this.#indifferent.size > 0 && this.#indifferent.has(podKey(pod));
  }

  /** The variant of a relaxation; undefined after the last one. */
  variant(podClass: PodClass, relaxation: number): Variant | undefined {
    if (relaxation >= podClass.relaxations.length) return undefined;
    let variant = podClass.variants[relaxation];
    const counting = this.context.groups.counting(podClass.labels);
    if (variant === undefined || variant.counting !== counting || variant.groupCount !== counting.size) {
      variant = compileVariant(this.context, this.signatures, podClass, podClass.relaxations[relaxation]!);
      podClass.variants[relaxation] = variant;
    }
    return variant;
  }

  #build(
    pod: Pod,
    read: ReadSpec | PodProblem,
    labels: LabelClass,
    needs: VolumeNeeds | PodProblem,
  ): PodClass {
    const { groups, resources, options } = this.context;
    const problem = problemOf(read, needs, resourceClaimsOf(pod.spec));
    const spec = 'code' in read ? this.#emptySpec() : this.#withDefaults(pod, read);
    const volumes = 'code' in needs ? NO_VOLUMES : needs;
    const relaxations = relaxationsOf(spec, {
      respectPreferences: options.preferencePolicy === 'Respect' && !this.#isIndifferent(pod),
      softTaints: this.#softTaints && !toleratesAllSoft(spec),
    });
    const keepsAway = spec.antiAffinity.required.map((term) =>
      groups.ofTerm('inverse', term, labels.namespace, []),
    );
    const podClass: PodClass = {
      id: this.all.length,
      spec,
      labels,
      volumes,
      requests: withAttachments(resources, spec.requests, volumes),
      problem,
      relaxations,
      variants: [],
      keepsAway,
      groups: [...keepsAway, ...groupsOf(this.context, { spec, labels, volumes }, relaxations[0]!)],
      hardSpreads: hardSpreadsOf(this.context, { spec, labels, volumes }),
      counting: groups.counting(labels),
      decidesDomains: false,
      failure: { run: -1, changes: -1, relaxation: 0 },
    };
    this.all.push(podClass);
    return podClass;
  }

  #withDefaults(pod: Pod, spec: ReadSpec): ReadSpec {
    if (this.#defaultSpreads === undefined || spec.spreads.length > 0) return spec;
    return { ...spec, spreads: this.#defaultSpreads.for(pod) };
  }

  #emptySpec(): ReadSpec {
    return {
      requests: this.context.resources.requests([0, 0, 1].slice(0, PODS + 1)),
      tolerations: [],
      nodeSelector: [],
      requiredTerms: [],
      preferredTerms: [],
      affinity: { required: [], preferred: [] },
      antiAffinity: { required: [], preferred: [] },
      spreads: [],
      ports: [],
    };
  }
}

// ---------------------------------------------------------------------------------------------------------------

const MEMO_STRIDE = 2 ** 26;

function problemOf(
  spec: ReadSpec | PodProblem,
  needs: VolumeNeeds | PodProblem,
  claims: readonly string[],
): PodProblem | null {
  if ('code' in spec) return spec;
  if (claims.length > 0) return { code: 'ResourceClaims', claims };
  return 'code' in needs ? needs : null;
}

function toleratesAllSoft(spec: ReadSpec): boolean {
  return spec.tolerations.some(
    ({ key, operator, effect, value }) =>
      (key ?? '') === '' &&
      operator === 'Exists' &&
      (value ?? '') === '' &&
      (effect ?? '') === 'PreferNoSchedule',
  );
}

function withAttachments(resources: Resources, requests: Requests, volumes: VolumeNeeds): Requests {
  if (volumes.attachments.size === 0) return requests;
  const amounts = expand(requests);
  for (const [slot, count] of volumes.attachments) {
    while (amounts.length <= slot) amounts.push(0);
    amounts[slot]! += count;
  }
  return resources.requests(amounts);
}
