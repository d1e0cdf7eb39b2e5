/**
 * The namespaces of an affinity term: its explicit list, those that its selector matches, or the namespace of
 * the pod.
 */
import type { Namespace, PodAffinityTerm, SchedulingInput } from '../model.ts';
import { compileSelector } from '../selectors.ts';
import { namespaceOf } from '../shapes/named-pods.ts';

export class NamespaceSet extends Set<string> {
  readonly key: string;

  constructor(names: Iterable<string>) {
    super(names);
    this.key = [...this].sort().join();
  }
}

export class NamespaceIndex {
  readonly #input: SchedulingInput;
  #known: readonly Namespace[] | undefined;

  constructor(input: SchedulingInput) {
    this.#input = input;
  }

  /** Namespaces that all of the terms select. */
  ofAll(terms: readonly PodAffinityTerm[], own: string): NamespaceSet {
    const sets = terms.map((term) => this.of(term, own));
    return new NamespaceSet([...sets[0]!].filter((name) => sets.every((set) => set.has(name))));
  }

  of(term: PodAffinityTerm, own: string): NamespaceSet {
    const listed = term.namespaces ?? [];
    if (term.namespaceSelector === undefined || term.namespaceSelector === null) {
      return new NamespaceSet(listed.length === 0 ? [own] : listed);
    }
    const selector = compileSelector(term.namespaceSelector);
    if ('problem' in selector) return new NamespaceSet(listed);
    const selected = this.#all().filter(({ name, labels }) =>
      selector.matches({ [NAME_LABEL]: name, ...labels }),
    );
    return new NamespaceSet([...listed, ...selected.map(({ name }) => name)]);
  }

  /** Namespaces that are missing from the input are known by their pods and have only the name label. */
  #all(): readonly Namespace[] {
    if (this.#known === undefined) {
      const described = this.#input.namespaces ?? [];
      const others = new Set<string>();
      for (const pod of this.#input.pods) others.add(namespaceOf(pod.metadata));
      for (const pod of this.#input.boundPods ?? []) others.add(namespaceOf(pod.metadata));
      for (const pod of this.#input.leavingPods ?? []) others.add(namespaceOf(pod.metadata));
      for (const { name } of described) others.delete(name);
      this.#known = [...described, ...[...others].map((name) => ({ name }))];
    }
    return this.#known;
  }
}

// ---------------------------------------------------------------------------------------------------------------

/** Every namespace has its name as a label. */
const NAME_LABEL = 'kubernetes.io/metadata.name';
